// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "judgement.h"
#include "strategy.h"

namespace batchpeak::search {

class MemoryModel;
class Posterior;
class TrialHistory;

/// Reads off the posterior's paths what a strategy and a person want to know. How sure that is takes the
/// calibration too, since a bare share of paths is no probability.
Judgement judge(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                const MemoryModel& memory);

} // namespace batchpeak::search
