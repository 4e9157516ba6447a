// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_snapshot.h"

#include <QString>

namespace batchpeak::training {

/// A run as the events tell it that TrainingEventLog wrote: what it was set to, its steps and evaluations,
/// its changes of size, and how it ended; a run whose end is not there counts as interrupted. Events of a
/// later program that are not known are left out.
///
/// \throws config::ConfigError  where the file cannot be read, or begins as no training run does; with its
///         name and line
TrainingSnapshot readTrainingEvents(const QString& path);

} // namespace batchpeak::training
