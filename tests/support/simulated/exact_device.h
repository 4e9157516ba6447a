// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <vector>

/// Device without noise, so that a test knows the correct answer of a search: a step takes (overhead + size)
/// milliseconds, and each sample takes 50 MiB in addition to the baseline memory.
namespace exact {

using Sizes = std::vector<std::int64_t>;
using TrialOf = std::function<batchpeak::search::Measurement(const batchpeak::search::Proposal&)>;

/// Returns a search space of all sizes with memory for \p largestFit samples. A search of this space does not
/// compare sizes.
batchpeak::search::SearchSpace spaceFor(std::int64_t largestFit);

batchpeak::search::Measurement trial(std::int64_t size, double overhead);
batchpeak::search::Measurement outOfMemory(std::int64_t size);
/// Returns a function that runs a proposed trial, which succeeds if it fits into the memory of \p space.
TrialOf deviceWith(const batchpeak::search::SearchSpace& space, double overhead);

/// Returns the sizes that the search proposes until it ends, in this order.
Sizes searchWith(batchpeak::search::Strategy& strategy, const TrialOf& run);

} // namespace exact
