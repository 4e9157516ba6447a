// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_plan.h"

#include <cstdint>

namespace batchpeak::engine {

/// Trials that the search expects to need in all, before the first one has run; it will know better after
/// each. The last one, of the final size in a fresh process, is not among them.
///
/// \param usableBytes  of the device with the least; 0 where that is not known
int expectedTrials(const ExplorationPlan& plan, std::int64_t usableBytes, int devices);

} // namespace batchpeak::engine
