// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"

#include <QStringList>

namespace batchpeak::cli {

/// The last lines of a training run: steps, loss, speed, sizes, memory, the maximum beside what an
/// exploration recommends, and how to go on. Empty where nothing was measured.
QStringList finalLines(const training::TrainingSnapshot& snapshot);

} // namespace batchpeak::cli
