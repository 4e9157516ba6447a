// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"
#include "snapshot.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <vector>

namespace batchpeak::engine {

/// What the search may assume of these devices: the memory of the least of them, since every size must
/// fit all, and the largest baseline.
search::SearchSpace spaceOn(const std::vector<DeviceSnapshot>& devices, search::SearchSpace space);

/// A size that the search proposes, as a worker is asked for it: with a time limit that follows from the
/// predicted time, where there is one.
trial::TrialRequest requestFor(const search::Proposal& proposal, std::int64_t id);

} // namespace batchpeak::engine
