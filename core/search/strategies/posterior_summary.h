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

/// What the posterior says about the sizes: the best measured one, how certain that is, what could still beat
/// it, and whether the device is calm enough to tell. A strategy decides what to do with it.
struct PosteriorSummary
{
    struct Rival
    {
        std::int64_t size = 0;
        /// Probability that it fits and beats the best measured size by more than the tolerance.
        double probability = 0.0;
    };

    /// 0 as long as no size is good.
    std::int64_t best = 0;
    /// Probability that the best measured size is within the tolerance of the best one that fits, calibrated.
    double probability = 0.0;
    /// The evidence for the probability; nothing if too little is known about the curve.
    std::optional<CalibrationCase> evidence;
    /// Share by which the best of all sizes is expected to be faster than the best measured one, calibrated.
    double expectedLoss = 0.0;
    /// The share that this loss does not exceed with a probability of 95 %, according to the paths.
    double maxLoss = 0.0;
    /// As SearchState::estimates.
    std::vector<SizeEstimate> measured;
    /// The most probable first; sizes that cannot win are left out.
    std::vector<Rival> rivals;
    /// Probability that the best of all sizes is larger than the recommended one, and faster by more than the
    /// tolerance.
    double chanceOfLarger = 0.0;
    /// As in SearchState.
    std::vector<Contender> contenders;
    double otherContenders = 0.0;
    std::vector<CurvePoint> curve;
    /// As in Recommendation.
    std::int64_t smallestWithinTolerance = 0;
    SpeedLimit speedLimit;
    Instability instability;
    /// Typical time of an optimizer step [s]; 0 if none was reported.
    double optimizerSeconds = 0.0;

    /// Ascending sizes, and the expected time of one micro-batch at each of them [s].
    std::vector<std::int64_t> sizes;
    std::vector<double> stepSeconds;

    /// Returns the expected time of one micro-batch [s], interpolated; 0 before the first measurement.
    double stepSecondsAt(std::int64_t size) const;
    /// Returns null if the size is not a good one.
    const SizeEstimate* find(std::int64_t size) const;
};

/// Computes the summary from the posterior's sample paths. The probability also takes the calibration into
/// account, since a raw share of paths is not a probability.
///
/// \param before  the evidence one trial earlier
PosteriorSummary summarize(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                           const MemoryModel& memory, const std::optional<CalibrationCase>& before);

} // namespace batchpeak::search
