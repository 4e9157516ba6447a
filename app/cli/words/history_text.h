// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "store/exploration_records.h"

#include <QStringList>

#include <vector>

namespace batchpeak::cli {

/// Returns one line for each exploration, or a sentence if there is none.
QStringList historyLines(const std::vector<store::ExplorationSummary>& explorations);

/// Returns everything that is stored of an exploration: its request, the devices, the result and every trial.
QStringList explorationLines(const store::StoredExploration& exploration);

/// Returns two explorations side by side, and the ratio of the second's samples/s to the first's.
QStringList comparisonLines(const store::StoredExploration& first, const store::StoredExploration& second);

/// Whether both explorations were measured with equal fidelity to their configs. If not, the ratio of the two
/// does not compare equal runs.
bool haveSameLabel(const store::StoredExploration& first, const store::StoredExploration& second);

/// Returns the ratio of the samples/s of the size that \p second recommends to those of \p first, or nothing
/// if one of them recommends no size.
std::optional<double> speedRatio(const store::StoredExploration& first,
                                 const store::StoredExploration& second);

} // namespace batchpeak::cli
