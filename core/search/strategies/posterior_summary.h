// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "calibration.h"
#include "strategy.h"

#include <cstdint>
#include <vector>

namespace batchpeak::search {

class MemoryModel;
class Posterior;
class TrialHistory;

/// What the posterior says about the sizes: the best measured one, how sure that is, what could still beat
/// it, and whether the device is calm enough to tell. A strategy decides what to do with it.
struct PosteriorSummary
{
    struct Rival
    {
        std::int64_t size = 0;
        /// That it fits and beats the best measured size by more than the tolerance.
        double probability = 0.0;
    };

    /// 0 as long as no size is good.
    std::int64_t best = 0;
    /// Probability that the best measured size is within the tolerance of the best one that fits, calibrated.
    double probability = 0.0;
    /// What the probability rests on; nothing where too little is known of the curve for any.
    std::optional<CalibrationCase> evidence;
    /// By what share the best of all sizes is expected to be faster than the best measured one, calibrated.
    double expectedLoss = 0.0;
    /// The share that it does not exceed with a probability of 95 %, by the paths.
    double maxLoss = 0.0;
    /// SearchState::estimates.
    std::vector<SizeEstimate> measured;
    /// The most probable first; sizes that cannot win are left out.
    std::vector<Rival> rivals;
    /// Probability that the best size of all is a larger one than the recommended, and faster by more than
    /// the tolerance.
    double chanceOfLarger = 0.0;
    /// As in SearchState.
    std::vector<Contender> contenders;
    double otherContenders = 0.0;
    std::vector<CurvePoint> curve;
    /// As in Recommendation.
    std::int64_t smallestWithinTolerance = 0;
    SpeedLimit speedLimit;
    Instability instability;
    /// Typical time of an optimizer step [s]; 0 where none was reported.
    double optimizerSeconds = 0.0;

    /// Sizes, ascending, and the time of one micro-batch expected there [s].
    std::vector<std::int64_t> sizes;
    std::vector<double> stepSeconds;

    /// Expected time of one micro-batch [s], interpolated; 0 before the first measurement.
    double stepSecondsAt(std::int64_t size) const;
    /// Nothing where the size is not a good one.
    const SizeEstimate* find(std::int64_t size) const;
};

/// Reads the summary off the posterior's sample paths. How sure it is takes the calibration too, since a bare
/// share of paths is no probability.
///
/// \param before  what the evidence was one trial earlier
PosteriorSummary summarize(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                           const MemoryModel& memory, const std::optional<CalibrationCase>& before);

} // namespace batchpeak::search
