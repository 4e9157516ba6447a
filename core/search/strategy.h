// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"
#include "model/enum_names.h"
#include "trial/purpose.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace batchpeak::search {

/// What is maximized: Micro is m / (forward + backward seconds), whatever the global batch; Effective
/// is the per-device batch over the time of a whole optimizer step, its micro-batches spread evenly.
enum class Objective { Micro, Effective };

constexpr model::EnumNames<Objective, 2> wordsOf(Objective)
{
    return {{{Objective::Micro, "micro"}, {Objective::Effective, "effective"}}};
}

/// Peak bytes of a trial by a description of the network, before any was run: constantBytes + bytesPerSample
/// * size.
struct MemoryPrior
{
    double constantBytes = 0.0;
    double bytesPerSample = 0.0;
    /// Relative standard deviation of bytesPerSample; the constant is counted.
    double deviation = 0.0;
};

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
    /// Nothing where no description tells of the network's memory: steps beyond what ran are smaller then.
    std::optional<MemoryPrior> memoryPrior;
    Objective objective = Objective::Micro;
    /// Samples per optimizer step on one device, for Objective::Effective.
    std::int64_t perDeviceBatch = 1;
    /// A size that is known to be good for networks of this kind and size, if on other devices. A probe goes
    /// there, as far as memory lets it; it counts for nothing else.
    std::optional<std::int64_t> startingHint;
    /// A size is good when it is within this share of the best.
    double tolerance = 0.02;
    /// The search ends when its confidence is at least this, 0..1; above 1 only when nothing is left to try.
    double targetConfidence = 0.95;
    int maxTrials = 64;
    /// Trials that may run at the same time.
    int devices = 1;
    /// Whether a size of a range that is predicted is rounded down to a power of two before it is run, as the
    /// torchtune RFC has it (pull request 2199).
    bool predictsPowersOfTwo = true;
    /// Whether trials may compare sizes: not with programs that speak version 1 of the protocol.
    bool comparesSizes = true;
    std::uint64_t seed = 1;
};

/// The trial to run next.
struct Proposal
{
    std::int64_t size = 1;
    int minSteps = 5;
    int maxSteps = 24;
    double minSeconds = 0.4;
    /// Two to four sizes that are visited in turn, in mirrored order; empty for an ordinary trial. Steps and
    /// seconds below are of no account then.
    std::vector<std::int64_t> comparedSizes;
    int visits = 0;
    int stepsPerVisit = 0;
    /// 0: never give up. Else a bound on the seconds of one step.
    double abandonAboveSeconds = 0.0;
    /// Probability that the size fits, 0..1.
    double predictedFit = 1.0;
    /// Expected wall time of the whole trial [s]; nothing before the first measurement.
    std::optional<double> predictedWallSeconds;
    trial::Purpose purpose = trial::Purpose::FirstSizes;
    /// The size that it is to be told from; 0 where it is none in particular.
    std::int64_t against = 0;

    bool compares() const { return !comparedSizes.empty(); }
};

/// Why sizes cannot be told apart as well as on a calm device.
struct Instability
{
    enum class Cause {
        None,
        /// Step times change slowly by as much as sizes differ.
        Drift,
        /// A trial of the recommended size can be off by as much as the tolerance.
        Noise,
        /// Other programs used the device during many of the last trials.
        OtherTenants
    };
    Cause cause = Cause::None;
    /// Of drift and noise the relative standard deviation, of tenants the share of trials disturbed.
    double size = 0.0;
};

/// The numbers behind a recommendation, out of which the engine makes the sentence that a person reads.
struct Reason
{
    enum class Kind {
        /// First sizes: too little is known.
        TooEarly,
        /// Larger sizes are still to be tried, and are likely to be faster.
        Climbing,
        /// Compared with its neighbors; the lead over the runner-up decides.
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
    /// Size of the next trial; 0 when there is none. All sizes of one that compares stand in comparedNext.
    std::int64_t next = 0;
    std::vector<std::int64_t> comparedNext = {};
    /// Largest size that memory is predicted to hold; 0 when unknown.
    std::int64_t largestPredictedFit = 0;
    Instability instability;
};

/// A person is told no more: certainty is never reached.
constexpr double maxConfidence = 0.99;

/// What all trials say of a size that ran: the one number that recommendation, chart, table and sentences
/// have of it.
struct SizeEstimate
{
    std::int64_t size = 0;
    /// Speed in the long run: beside other programs, where its trials ran beside them.
    double samplesPerSecond = 0.0;
    /// Relative standard deviation of samplesPerSecond.
    double relativeError = 0.0;
    /// Probability that it is within the tolerance of the best size that fits, 0..maxConfidence; that of
    /// the recommended size is the confidence.
    double probabilityWithin = 0.0;

    bool operator==(const SizeEstimate&) const = default;
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
    /// By what share the best size that fits is expected to be faster: what believing this may cost.
    double expectedLoss = 0.0;
    Reason reason;
    /// The smallest good measured size whose expected regret is within the tolerance, and which so leaves
    /// most memory; 0 where none is smaller than the recommended one.
    std::int64_t smallestWithinTolerance = 0;
};

/// What going on would take and could gain, where a search that has ended could still learn.
struct ContinuationEstimate
{
    /// Two sizes that cannot be told apart yet: the recommended one, and another that may be faster.
    std::int64_t size = 0;
    std::int64_t rival = 0;
    /// Of trials until they can [s].
    double seconds = 0.0;
    /// Share by which the best size is expected to be faster than the recommended one, and by which it is at
    /// most, with a probability of 95 %.
    double gain = 0.0;
    double maxGain = 0.0;
};

/// What keeps the recommended size from being faster, by the terms of the fitted curve there.
struct SpeedLimit
{
    enum class Kind {
        /// Too few sizes are measured, or the draws of the curve disagree.
        Unknown,
        /// What a step costs whatever its size: a larger one would still gain if memory held it.
        LaunchBound,
        /// Work per sample: twice the size would gain less than the tolerance.
        Saturated,
        /// Whole tiles: one sample more than a multiple of the period costs more than the tolerance.
        TileQuantized,
        /// Samples/s fall where memory ends.
        MemoryThrashing
    };
    Kind kind = Kind::Unknown;
    /// Share of the draws that agree, 0..1.
    double probability = 0.0;
    /// Mean share of a step at the recommended size that would be the same at any size.
    double overheadShare = 0.0;
    /// Mean gain of twice the recommended size, as a share; beyond what fits by the overhead alone.
    double doublingGain = 0.0;
    /// Samples in a whole wave of tiles, or the multiple that is aligned; 0 unless TileQuantized.
    std::int64_t period = 0;
    /// Share by which one sample more than that lengthens the step; 0 unless TileQuantized.
    double jump = 0.0;
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

/// A size that may still turn out to be the best.
struct Contender
{
    std::int64_t size = 0;
    /// That it is the best allowed size that fits, 0..1: the share of the sample paths in which it is. As a
    /// bare share it is no confidence, which is calibrated and forgives what is within the tolerance.
    double probability = 0.0;

    bool operator==(const Contender&) const = default;
};

/// The trial that would come next.
struct NextTrial
{
    /// One, or those that are compared.
    std::vector<std::int64_t> sizes;
    /// As of Proposal.
    trial::Purpose purpose = trial::Purpose::FirstSizes;
    std::int64_t against = 0;

    bool operator==(const NextTrial&) const = default;
};

/// What is likely, and between what it is in four of five cases.
struct Estimate
{
    double likely = 0.0;
    double low = 0.0;
    double high = 0.0;

    bool operator==(const Estimate&) const = default;
};

/// What a search still needs.
struct Forecast
{
    /// To come, those in flight among them.
    Estimate trials;
    /// Of these, if they ran one after another [s]; nothing before a first trial has run.
    std::optional<Estimate> seconds = {};
};

/// Everything known after the trials so far.
struct SearchState
{
    enum class Status {
        Searching,
        /// The target confidence is reached.
        Confident,
        /// No allowed size is left to try, or none is worth it: to be surer would take longer than all
        /// trials so far and could gain little, or is hopeless.
        Exhausted,
        /// maxTrials is reached.
        Budget,
        /// Not even the smallest allowed size fits.
        NothingFits
    };
    Status status = Status::Searching;
    std::optional<Recommendation> recommendation;
    /// Estimates of the sizes that ran well, on another day too where that is recalled, ascending; the
    /// recommended one is among them.
    std::vector<SizeEstimate> estimates = {};
    /// Ascending sizes >= 1; empty before two sizes are measured.
    std::vector<CurvePoint> curve;
    std::optional<MemoryLine> memory;
    /// The same of what the network itself held: the rest is the allocator's.
    std::optional<MemoryLine> allocatedMemory;
    /// Largest size with a predicted peak within the limit; 0 when unknown.
    std::int64_t largestPredictedFit = 0;
    /// Smallest size known not to fit; 0 when there is none.
    std::int64_t smallestFailure = 0;
    /// Trials that the search expects to need in all, those in flight among them; never fewer than have been
    /// recorded.
    int expectedTrials = 0;
    /// Trials of an earlier exploration that count; 0 where there are none, or a trial of this one spoke
    /// against them.
    int recalledTrials = 0;
    /// Nothing after the end, and of strategies that cannot tell.
    std::optional<Forecast> forecast = {};
    /// At most maxContenders, the most probable first, and how probable it is that the best is none of
    /// these; empty and 0 of strategies without sample paths.
    std::vector<Contender> contenders = {};
    double otherContenders = 0.0;
    /// Nothing where the search has ended, or waits for what is in flight.
    std::optional<NextTrial> next = {};
    /// Sizes that a person ruled out, ascending.
    std::vector<std::int64_t> excluded = {};
    SpeedLimit speedLimit;
    /// Nothing where no more trials would tell more.
    std::optional<ContinuationEstimate> continuation;

    /// The estimate of a size; null where it has none.
    const SizeEstimate* estimateOf(std::int64_t size) const;
};

inline constexpr std::size_t maxContenders = 8;

/// What a person may ask of a search while it is under way.
struct Abilities
{
    /// Trials of earlier explorations count.
    bool recalls = false;
    bool excludesSizes = false;
    bool triesAskedSizes = false;
    bool changesTolerance = false;
    bool changesTargetConfidence = false;
    bool changesMaxTrials = false;

    bool operator==(const Abilities&) const = default;
};

/// A way of finding the best size. It is told of every finished trial and asked for the next; it has no
/// clock and no device, and the same measurements and seed always give the same answers.
class Strategy
{
public:
    virtual ~Strategy() = default;

    virtual void record(const Measurement& measurement) = 0;
    /// Before the first trial: those of an earlier search of the same run, on the same devices. They are
    /// evidence with an age: a trial of the size that they recommend comes first, nothing is sure before it,
    /// and they are forgotten where it speaks against them. A strategy that builds on no evidence does
    /// nothing.
    ///
    /// \param measurements  that say from which exploration they are, and whose clocks are negative:
    ///                      before the start of this search
    virtual void recall(std::span<const Measurement> /*measurements*/) {}

    /// \param inFlight  sizes of trials under way, believed but not known; what was proposed, is none of them
    ///        and was not recorded, was not run
    /// \return nothing when the search has ended, or can go on only when one of those in flight ends
    virtual std::optional<Proposal> next(std::span<const std::int64_t> inFlight) = 0;

    virtual const SearchState& searchState() const = 0;

    /// Takes an end back, but for NothingFits: it is searched on until so many trials in all, however sure
    /// the answer is and however little a trial is worth. A search that has no more to try stays ended.
    virtual void continueSearch(int /*maxTrials*/) {}
    /// Whether continueSearch() would have another trial to propose, when none is in flight.
    virtual bool canContinue() { return false; }

    /// Which of the wishes below it heeds. What follows from one stands in the search state at once, read off
    /// the trials so far: the same trials and the same wishes between them always give the same answers. A
    /// wish that it cannot heed, or that makes no sense, changes nothing.
    virtual Abilities abilities() const { return {}; }
    /// The size is neither tried nor recommended any more, or may be again; of all but one allowed size.
    virtual void setExcluded(std::int64_t /*size*/, bool /*isExcluded*/) {}
    /// The usual trial of an allowed size, however little it is worth, and whether or not it is thought to
    /// fit; nothing where it is not allowed.
    virtual std::optional<Proposal> asked(std::int64_t /*size*/) { return std::nullopt; }
    /// A trial that was proposed is canceled, and counts for nothing: something else comes next, as long as
    /// anything else is left.
    virtual void skip(std::span<const std::int64_t> /*sizes*/) {}
    /// \param tolerance  as in SearchSpace, below 1
    virtual void setTolerance(double /*tolerance*/) {}
    virtual void setTargetConfidence(double /*probability*/) {}
    /// At least as many as were recorded.
    virtual void setMaxTrials(int /*maxTrials*/) {}
};

/// The strategies there are, as the command line names them.
std::vector<std::string_view> strategyNames();

/// The strategy of that name. Where only one size is allowed there is nothing to search, and it is
/// verified by one trial, whatever the name.
/// \throws std::invalid_argument with a sentence, where there is no such strategy or the space allows no
///         size
std::unique_ptr<Strategy> makeStrategy(std::string_view name, const SearchSpace& space);

} // namespace batchpeak::search
