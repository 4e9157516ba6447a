// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <vector>

/// A device without noise, so that a test knows the correct answer of a search: a step takes (overhead +
/// size) milliseconds, and each sample takes 50 MiB in addition to the memory held at the start.
namespace exact {

using Sizes = std::vector<std::int64_t>;
using TrialOf = std::function<batchpeak::search::Measurement(const batchpeak::search::Proposal&)>;

/// Returns a space of all sizes with memory for \p largestFit samples. These devices compare no sizes.
batchpeak::search::SearchSpace spaceFor(std::int64_t largestFit);

batchpeak::search::Measurement trial(std::int64_t size, double overhead);
batchpeak::search::Measurement outOfMemory(std::int64_t size);
/// Returns trials that run as long as they fit into the memory of \p space.
TrialOf deviceWith(const batchpeak::search::SearchSpace& space, double overhead);

/// Returns the sizes that the search proposes, one after another, until it ends.
Sizes searchWith(batchpeak::search::Strategy& strategy, const TrialOf& run);

} // namespace exact
