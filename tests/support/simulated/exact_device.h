// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <vector>

/// A device without noise, so that a test knows what a search has to answer: a step takes (overhead + size)
/// milliseconds, and a sample 50 MiB on top of what is held at the start.
namespace exact {

using Sizes = std::vector<std::int64_t>;
using TrialOf = std::function<batchpeak::search::Measurement(const batchpeak::search::Proposal&)>;

/// All sizes, in memory for \p largestFit samples. These devices compare none.
batchpeak::search::SearchSpace spaceFor(std::int64_t largestFit);

batchpeak::search::Measurement trial(std::int64_t size, double overhead);
batchpeak::search::Measurement outOfMemory(std::int64_t size);
/// Trials that run as far as the memory of \p space goes.
TrialOf deviceWith(const batchpeak::search::SearchSpace& space, double overhead);

/// Sizes proposed one after another until the search ends.
Sizes searchWith(batchpeak::search::Strategy& strategy, const TrialOf& run);

} // namespace exact
