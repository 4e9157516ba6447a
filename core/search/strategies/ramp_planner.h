// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_safety.h"

#include <cstdint>
#include <optional>
#include <span>

namespace batchpeak::search {

class CandidateSet;
class MemoryModel;
class TrialHistory;
struct Judgement;

/// Which size a ramp tries next: powers of two until memory or throughput ends, then the middle of the
/// gaps beside the best, then what may still beat it.
///
/// It keeps to the sizes that TrialSafety allows. It neither judges what was measured nor decides when
/// confidence is high enough.
class RampPlanner
{
public:
    struct Situation
    {
        const CandidateSet& candidates;
        const TrialHistory& history;
        const MemoryModel& memory;
        const Judgement& judgement;
        std::span<const std::int64_t> inFlight;
        /// Relative differences in throughput below this count as none.
        double tolerance = 0.02;
    };
    enum class Purpose {
        /// Upwards by powers of two.
        Climb,
        /// A gap beside the best, or a size that may beat it.
        Refine,
        /// Measured before, and not to be told apart from another.
        Repeat
    };
    struct Step
    {
        std::int64_t size = 1;
        Purpose purpose = Purpose::Climb;
    };

    explicit RampPlanner(const Situation& situation);

    /// Nothing where no size is worth a trial, or none before one in flight has ended.
    std::optional<Step> next() const;

private:
    std::optional<Step> climb() const;
    std::optional<Step> bisect() const;
    std::optional<Step> challenge() const;
    std::optional<Step> lastResort() const;

    bool throughputHasEnded() const;
    /// An allowed size that is usable and not under way.
    bool isFree(std::int64_t size) const;

    Situation m_situation;
    TrialSafety m_safety;
    std::int64_t m_largestInFlight = 0;
};

} // namespace batchpeak::search
