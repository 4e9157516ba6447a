// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"

#include <QString>

namespace batchpeak::ui {

/// Returns "Step 340 of 1,000 · micro-batch 5 of 8 · about 3 min left".
/// \param obstacle  sentence that says why no run can start now; empty if one can
QString trainingActivityText(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});

/// Returns sentences on what happens before the first step and after the last one, or on the result of a run;
/// empty while its numbers are sufficient.
QString trainingSentence(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});

/// "binary search: 241 fits, 128 is used (9 trials, 3 out of memory, 41 s); the exploration recommends 192"
QString maximumText(const training::MaximumFound& maximum);
/// "halving", "binary search", "prediction"
QString maximumWayText(training::MaximumWay way);

} // namespace batchpeak::ui
