// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_snapshot.h"

#include <QString>

namespace batchpeak::training {

/// Reads a run from the events that TrainingEventLog wrote: its settings, its steps and evaluations, its
/// changes of size, and how it ended. A run whose end is missing counts as interrupted. Unknown events of a
/// newer program are skipped.
///
/// \throws config::ConfigError  if the file cannot be read, or does not begin like a training run; with its
///         name and line
TrainingSnapshot readTrainingEvents(const QString& path);

} // namespace batchpeak::training
