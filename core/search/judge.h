// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "judgement.h"
#include "strategy.h"

namespace batchpeak::search {

class CandidateSet;
class MemoryModel;
class RandomSource;
class TrialHistory;

Judgement judge(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
                const MemoryModel& memory, RandomSource& random);

} // namespace batchpeak::search
