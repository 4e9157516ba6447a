// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"

#include <QString>

namespace batchpeak::ui {

/// "Step 340 of 1,000 · micro-batch 5 of 8 · about 3 min left"
/// \param obstacle  why no run can start now, as a sentence; else empty
QString trainingActivityText(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});

/// What comes before the first step and after the last one, or what came of a run, as sentences; empty while
/// its figures say it all.
QString trainingSentence(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});

/// "binary search: 241 fits, 128 is used (9 trials, 3 out of memory, 41 s); the exploration recommends 192"
QString maximumText(const training::MaximumFound& maximum);
/// "halving", "binary search", "prediction"
QString maximumWayText(training::MaximumWay way);

} // namespace batchpeak::ui
