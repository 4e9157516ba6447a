// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace batchpeak::search {

/// What is maximised: Micro is m / (forward + backward seconds), whatever the global batch; Effective
/// is the per-device batch over the time of a whole optimizer step, its micro-batches spread evenly.
enum class Objective { Micro, Effective };

/// What a search is asked. Plain numbers, so that a search can be repeated anywhere.
struct SearchSpace
{
    /// Sizes allowed as the answer: minimum..maximum, or only those of candidates where it is not empty
    /// (ascending, within minimum..maximum).
    std::int64_t minimum = 1;
    std::int64_t maximum = 1 << 20;
    std::vector<std::int64_t> candidates;
    /// Peak reserved bytes that a size may have to be recommended: the limit less the headroom.
    std::int64_t memoryLimitBytes = 0;
    /// Held before the first forward pass.
    std::int64_t baselineBytes = 0;
    Objective objective = Objective::Micro;
    /// Samples per optimizer step on one device, for Objective::Effective.
    std::int64_t perDeviceBatch = 1;
    /// A size is good when it is within this share of the best.
    double tolerance = 0.02;
    /// The search ends when its confidence is at least this, 0..1.
    double targetConfidence = 0.95;
    int maxTrials = 40;
    /// Trials that may run at the same time.
    int devices = 1;
    std::uint64_t seed = 1;
};

/// The trial to run next.
struct Proposal
{
    std::int64_t size = 1;
    int minSteps = 5;
    int maxSteps = 24;
    double minSeconds = 0.4;
    /// 0: never give up. Else a bound on the seconds of one step.
    double abandonAboveSeconds = 0.0;
    /// Probability that the size fits, 0..1.
    double predictedFit = 1.0;
    /// Expected wall time of the whole trial [s]; nothing before the first measurement.
    std::optional<double> predictedWallSeconds;
};

/// The numbers behind a recommendation, out of which the engine makes the sentence that a person reads.
struct Reason
{
    enum class Kind {
        /// First sizes: too little is known.
        TooEarly,
        /// Larger sizes are still to be tried, and are likely to be faster.
        Climbing,
        /// Compared with its neighbours; the lead over the runner-up decides.
        Compared,
        /// The best of what fits: memory ends before throughput does.
        MemoryEnds,
        /// One size was to be verified, and runs.
        Verified,
        /// Every allowed size has been tried.
        AllTried
    };
    Kind kind = Kind::TooEarly;
    std::int64_t runnerUp = 0;
    /// By what share the recommended size is faster than the runner-up; negative where it is slower
    /// but cannot be told apart.
    double leadOverRunnerUp = 0.0;
    /// The untried or rival size most likely to be better by more than the tolerance, and how likely.
    std::int64_t rival = 0;
    double rivalProbability = 0.0;
    /// Size of the next trial; 0 when there is none.
    std::int64_t next = 0;
    /// Largest size that memory is predicted to hold; 0 when unknown.
    std::int64_t largestPredictedFit = 0;
};

struct Recommendation
{
    std::int64_t size = 0;
    double samplesPerSecond = 0.0;
    /// Relative standard error of samplesPerSecond.
    double relativeError = 0.0;
    /// Times the first recommendation's samples/s.
    double relativePerformance = 1.0;
    /// Probability in percent that the size is within tolerance of the best that fits: 1..99.
    int confidence = 1;
    Reason reason;
};

/// The fitted curve at one size; low and high are the 5 % and 95 % quantiles.
struct CurvePoint
{
    double size = 1.0;
    double samplesPerSecond = 0.0;
    double low = 0.0;
    double high = 0.0;
};

/// Peak reserved bytes = constantBytes + bytesPerSample * size, by the largest trials.
struct MemoryLine
{
    double constantBytes = 0.0;
    double bytesPerSample = 0.0;
};

/// Everything known after the trials so far.
struct Outlook
{
    enum class Status {
        Searching,
        /// The target confidence is reached.
        Confident,
        /// No allowed size is left to try.
        Exhausted,
        /// maxTrials is reached.
        Budget,
        /// Not even the smallest allowed size fits.
        NothingFits
    };
    Status status = Status::Searching;
    std::optional<Recommendation> recommendation;
    /// Ascending sizes >= 1; empty before two sizes are measured.
    std::vector<CurvePoint> curve;
    std::optional<MemoryLine> memory;
    /// Largest size with a predicted peak within the limit; 0 when unknown.
    std::int64_t largestPredictedFit = 0;
    /// Smallest size known not to fit; 0 when there is none.
    std::int64_t smallestFailure = 0;
    /// Trials that the search expects to need in all.
    int expectedTrials = 0;
};

/// A way of finding the best size. It is told of every finished trial and asked for the next; it has no
/// clock, no threads and no device, and the same measurements and seed always give the same answers.
class Strategy
{
public:
    virtual ~Strategy() = default;

    virtual void record(const Measurement& measurement) = 0;

    /// \param inFlight  sizes of trials under way, believed but not known
    /// \return nothing when the search has ended, or can go on only when one of those in flight ends
    virtual std::optional<Proposal> next(std::span<const std::int64_t> inFlight) = 0;

    virtual const Outlook& outlook() const = 0;
};

} // namespace batchpeak::search
