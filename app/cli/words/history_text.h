// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/exploration_records.h"

#include <QStringList>

#include <vector>

namespace batchpeak::cli {

/// One line for each exploration, or a sentence where there is none.
QStringList historyLines(const std::vector<store::ExplorationSummary>& explorations);

/// All that is kept of one: what was asked, the devices, the result, every trial.
QStringList explorationLines(const store::StoredExploration& exploration);

/// Two side by side, and how the second's samples/s compare with the first's.
QStringList comparisonLines(const store::StoredExploration& first, const store::StoredExploration& second);

/// Whether both were measured equally near to their configs. Where not, a ratio of the two is not of one run.
bool haveSameLabel(const store::StoredExploration& first, const store::StoredExploration& second);

/// How many times the samples/s of \p first the size reaches that \p second recommends; nothing where one of
/// them recommends none.
std::optional<double> speedRatio(const store::StoredExploration& first,
                                 const store::StoredExploration& second);

} // namespace batchpeak::cli
