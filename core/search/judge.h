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

/// Judges the sizes on joint draws of the step-time curve and of the largest size that fits: in each draw
/// some size is the best, and the recommended one loses something against it.
///
/// The recommendation is the good size with the least expected loss; its confidence the share of draws in
/// which it loses no more than the tolerance. Nothing is calibrated afterwards.
Judgement judge(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
                const MemoryModel& memory, RandomSource& random);

} // namespace batchpeak::search
