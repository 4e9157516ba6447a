// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"
#include "model/enum_names.h"
#include "trial/trial_record.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace batchpeak::search {

/// What is maximized. Micro: m / (forward + backward seconds), whatever the global batch. Effective: the
/// per-device batch divided by the time of a whole optimizer step, its micro-batches spread evenly.
enum class Objective { Micro, Effective };

constexpr model::EnumNames<Objective, 2> wordsOf(Objective)
{
    return {{{Objective::Micro, "micro"}, {Objective::Effective, "effective"}}};
}

/// Peak bytes of a trial as predicted from a description of the network, before any trial has run:
/// constantBytes + bytesPerSample * size.
struct MemoryPrior
{
    double constantBytes = 0.0;
    double bytesPerSample = 0.0;
    /// Relative standard deviation of bytesPerSample; constantBytes is counted and thus exact.
    double deviation = 0.0;
};

/// The question that a search answers. It consists of plain numbers, so that a search can be repeated
/// anywhere.
struct SearchSpace
{
    /// Sizes allowed as the answer: minimum..maximum, or only those of candidates if it is not empty
    /// (ascending, within minimum..maximum).
    std::int64_t minimum = 1;
    std::int64_t maximum = 1 << 20;
    std::vector<std::int64_t> candidates;
    /// Largest peak of reserved bytes with which a size may be recommended: the limit minus the headroom.
    std::int64_t memoryLimitBytes = 0;
    /// Bytes held before the first forward pass.
    std::int64_t baselineBytes = 0;
    /// Nothing if no description covers the network's memory; steps beyond the sizes that ran are then
    /// smaller.
    std::optional<MemoryPrior> memoryPrior;
    Objective objective = Objective::Micro;
    /// Samples per optimizer step on one device, for Objective::Effective.
    std::int64_t perDeviceBatch = 1;
    /// A size that is known to be good for networks of this kind and size, possibly on other devices. The
    /// search probes it, as far as memory allows; it has no other effect.
    std::optional<std::int64_t> startingHint;
    /// A size is good when it is within this share of the best.
    double tolerance = 0.02;
    /// The search ends when its confidence is at least this, 0..1. With a value above 1, it ends only when
    /// nothing is left to try.
    double targetConfidence = 0.95;
    int maxTrials = 64;
    /// Trials that may run at the same time.
    int devices = 1;
    /// Whether a predicted size of a range is rounded down to a power of two before it runs, as in the
    /// torchtune RFC (pull request 2199).
    bool predictsPowersOfTwo = true;
    /// Whether trials may compare sizes; programs that speak version 1 of the protocol cannot.
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
    /// Two to four sizes whose visits are interleaved, in mirrored order; empty for an ordinary trial. A
    /// trial that compares ignores minSteps, maxSteps, minSeconds and abandonAboveSeconds.
    std::vector<std::int64_t> comparedSizes;
    int visits = 0;
    int stepsPerVisit = 0;
    /// Time of one step [s] above which the trial is abandoned; 0: never.
    double abandonAboveSeconds = 0.0;
    /// Probability that the size fits, 0..1.
    double predictedFit = 1.0;
    /// Expected wall time of the whole trial [s]; nothing before the first measurement.
    std::optional<double> predictedWallSeconds;
    trial::Purpose purpose = trial::Purpose::FirstSizes;
    /// The size that the trial's size is to be told apart from; 0 if there is none in particular.
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
    /// Relative standard deviation for Drift and Noise; share of disturbed trials for OtherTenants.
    double size = 0.0;
};

/// The numbers behind a recommendation, from which the engine forms the sentence that a person reads.
struct Reason
{
    enum class Kind {
        /// First sizes: too little is known.
        TooEarly,
        /// Larger sizes are still to be tried, and are likely to be faster.
        Climbing,
        /// The size was compared with its neighbors; the lead over the runner-up decides.
        Compared,
        /// The size is the best of those that fit: memory ends before throughput does.
        MemoryEnds,
        /// One size was to be verified, and it runs.
        Verified,
        /// Every allowed size has been tried.
        AllTried
    };
    Kind kind = Kind::TooEarly;
    std::int64_t runnerUp = 0;
    /// Share by which the recommended size is faster than the runner-up; negative if it is slower but cannot
    /// be told apart.
    double leadOverRunnerUp = 0.0;
    /// The untried or rival size most likely to be better by more than the tolerance, and the probability
    /// that it is.
    std::int64_t rival = 0;
    double rivalProbability = 0.0;
    /// Size of the next trial; 0 if there is none. If it compares sizes, comparedNext contains all of them.
    std::int64_t next = 0;
    std::vector<std::int64_t> comparedNext = {};
    /// Largest size that memory is predicted to hold; 0 when unknown.
    std::int64_t largestPredictedFit = 0;
    Instability instability;
};

/// Highest confidence that is shown to a person: certainty is never reached.
constexpr double maxConfidence = 0.99;

/// What all trials say about a size that ran. Recommendation, chart, table and sentences all use this one
/// estimate.
struct SizeEstimate
{
    std::int64_t size = 0;
    /// Speed in the long run; it includes the effect of other programs if the trials ran beside them.
    double samplesPerSecond = 0.0;
    /// Relative standard deviation of samplesPerSecond.
    double relativeError = 0.0;
    /// Probability that the size is within the tolerance of the best size that fits, 0..maxConfidence. For
    /// the recommended size, this is the confidence.
    double probabilityWithin = 0.0;

    bool operator==(const SizeEstimate&) const = default;
};

struct Recommendation
{
    std::int64_t size = 0;
    double samplesPerSecond = 0.0;
    /// Relative standard error of samplesPerSecond.
    double relativeError = 0.0;
    /// Ratio of samplesPerSecond to that of the first recommendation.
    double relativePerformance = 1.0;
    /// Probability in percent that the size is within tolerance of the best that fits: 1..99.
    int confidence = 1;
    /// Share by which the best size that fits is expected to be faster: the possible cost of following the
    /// recommendation.
    double expectedLoss = 0.0;
    Reason reason;
    /// The smallest good measured size whose expected regret is within the tolerance, and which therefore
    /// leaves the most memory; 0 if none is smaller than the recommended one.
    std::int64_t smallestWithinTolerance = 0;
};

/// What continuing would take and could gain, for a search that could still learn.
struct ContinuationEstimate
{
    /// Two sizes that cannot be told apart yet: the recommended one, and another that may be faster.
    std::int64_t size = 0;
    std::int64_t rival = 0;
    /// Time of the trials until they can be told apart [s].
    double seconds = 0.0;
    /// Share by which the best size is expected to be faster than the recommended one, and the share that it
    /// does not exceed with a probability of 95 %.
    double gain = 0.0;
    double maxGain = 0.0;
};

/// What keeps the recommended size from being faster, according to the terms of the fitted curve at that
/// size.
struct SpeedLimit
{
    enum class Kind {
        /// Too few sizes are measured, or the draws of the curve disagree.
        Unknown,
        /// The fixed cost of a step limits it: a larger size would still gain if memory held it.
        LaunchBound,
        /// The work per sample limits it: twice the size would gain less than the tolerance.
        Saturated,
        /// Whole tiles limit it: one sample more than a multiple of the period costs more than the tolerance.
        TileQuantized,
        /// Samples/s fall near the end of memory.
        MemoryThrashing
    };
    Kind kind = Kind::Unknown;
    /// Share of the draws that agree, 0..1.
    double probability = 0.0;
    /// Mean share of a step at the recommended size that would be the same at any size.
    double overheadShare = 0.0;
    /// Mean gain of twice the recommended size, as a share; computed from the overhead alone where twice the
    /// size does not fit.
    double doublingGain = 0.0;
    /// Samples in a whole wave of tiles, or the multiple that is aligned; 0 unless TileQuantized.
    std::int64_t period = 0;
    /// Share by which one sample more than the period lengthens the step; 0 unless TileQuantized.
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

/// Peak reserved bytes = constantBytes + bytesPerSample * size, fitted to the largest trials above all.
struct MemoryLine
{
    double constantBytes = 0.0;
    double bytesPerSample = 0.0;
};

/// A size that may still turn out to be the best.
struct Contender
{
    std::int64_t size = 0;
    /// Probability that it is the best allowed size that fits, 0..1: the share of the sample paths in which
    /// it is. This is not a confidence: a confidence is calibrated, and accepts what is within the tolerance.
    double probability = 0.0;

    bool operator==(const Contender&) const = default;
};

/// The trial that would come next.
struct NextTrial
{
    /// One size, or the sizes that are compared.
    std::vector<std::int64_t> sizes;
    /// As in Proposal.
    trial::Purpose purpose = trial::Purpose::FirstSizes;
    std::int64_t against = 0;

    bool operator==(const NextTrial&) const = default;
};

/// A likely value, and the bounds between which it lies in four of five cases.
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
    /// Trials to come, including those in flight.
    Estimate trials;
    /// Time of these trials if they ran one after another [s]; nothing before the first trial has run.
    std::optional<Estimate> seconds = {};
};

/// Everything known after the trials so far.
struct SearchState
{
    enum class Status {
        Searching,
        /// The target confidence is reached.
        Confident,
        /// No allowed size is left to try, or no trial is worth its time: higher confidence would take longer
        /// than all trials so far and could gain little, or is hopeless.
        Exhausted,
        /// maxTrials is reached.
        Budget,
        /// Not even the smallest allowed size fits.
        NothingFits
    };
    Status status = Status::Searching;
    std::optional<Recommendation> recommendation;
    /// Estimates of the sizes that ran well, ascending, including recalled sizes of earlier explorations. The
    /// recommended size is among them.
    std::vector<SizeEstimate> estimates = {};
    /// The curve at ascending sizes >= 1; empty before two sizes are measured.
    std::vector<CurvePoint> curve;
    std::optional<MemoryLine> memory;
    /// The same line for what the network itself allocated; the rest belongs to the allocator.
    std::optional<MemoryLine> allocatedMemory;
    /// Largest size with a predicted peak within the limit; 0 when unknown.
    std::int64_t largestPredictedFit = 0;
    /// Smallest size known not to fit; 0 when there is none.
    std::int64_t smallestFailure = 0;
    /// Total number of trials that the search expects to need, including those in flight; never fewer than
    /// have been recorded.
    int expectedTrials = 0;
    /// Number of trials of an earlier exploration that count; 0 if there are none, or a trial of this one
    /// contradicted them.
    int recalledTrials = 0;
    /// Nothing after the end of the search, and for strategies that cannot forecast.
    std::optional<Forecast> forecast = {};
    /// The most probable contenders, at most maxContenders, in descending order, and the probability that the
    /// best size is none of them; empty and 0 for strategies without sample paths.
    std::vector<Contender> contenders = {};
    double otherContenders = 0.0;
    /// Nothing if the search has ended, or waits for trials in flight.
    std::optional<NextTrial> next = {};
    /// Sizes that a person excluded, ascending.
    std::vector<std::int64_t> excluded = {};
    SpeedLimit speedLimit;
    /// Nothing if further trials would not tell more.
    std::optional<ContinuationEstimate> continuation;

    /// Returns the estimate of a size; null if it has none.
    const SizeEstimate* estimateOf(std::int64_t size) const;
};

inline constexpr std::size_t maxContenders = 8;

/// What a person may ask of a search while it is running.
struct Abilities
{
    /// Whether trials of earlier explorations count.
    bool recalls = false;
    bool excludesSizes = false;
    bool triesAskedSizes = false;
    bool changesTolerance = false;
    bool changesTargetConfidence = false;
    bool changesMaxTrials = false;

    bool operator==(const Abilities&) const = default;
};

/// A way of finding the best size. It is told about every finished trial and asked for the next one. It has
/// no clock and no device: the same measurements and seed always give the same answers.
class Strategy
{
public:
    virtual ~Strategy() = default;

    virtual void record(const Measurement& measurement) = 0;
    /// Takes over the trials of an earlier search of the same run on the same devices, before the first
    /// trial. They are evidence with an age: a trial of the size that they recommend comes first, nothing is
    /// certain before it, and they are forgotten if it contradicts them. A strategy that builds on no
    /// evidence does nothing.
    ///
    /// \param measurements  state which exploration they are from; their clocks are negative, that is, before
    ///        the start of this search
    virtual void recall(std::span<const Measurement> /*measurements*/) {}

    /// \param inFlight  sizes of trials under way, which are believed but not known. A proposed size that is
    ///        not among them and was not recorded did not run
    /// \return nothing if the search has ended, or can continue only when one of the trials in flight ends
    virtual std::optional<Proposal> next(std::span<const std::int64_t> inFlight) = 0;

    virtual const SearchState& searchState() const = 0;

    /// Resumes a search that has ended, except with NothingFits, until it has this many trials in all,
    /// however confident the answer is and however little a trial is worth. A search that has nothing left to
    /// try stays ended.
    virtual void continueSearch(int /*maxTrials*/) {}
    /// Returns whether continueSearch() would have another trial to propose if none is in flight.
    virtual bool canContinue() { return false; }

    /// Returns which of the requests below the strategy supports. A request affects the search state at once,
    /// as far as the trials so far tell: the same trials with the same requests between them always give the
    /// same answers. A request that is not supported or makes no sense changes nothing.
    virtual Abilities abilities() const { return {}; }
    /// Excludes a size, which is then neither tried nor recommended, or allows it again. One allowed size
    /// always remains.
    virtual void setExcluded(std::int64_t /*size*/, bool /*isExcluded*/) {}
    /// Returns the default trial of an allowed size, however little it is worth, and whether or not the size
    /// is predicted to fit. Returns nothing if the size is not allowed.
    virtual std::optional<Proposal> asked(std::int64_t /*size*/) { return std::nullopt; }
    /// Takes note that a proposed trial is canceled and counts for nothing: something else comes next, as
    /// long as anything else is left.
    virtual void skip(std::span<const std::int64_t> /*sizes*/) {}
    /// \param tolerance  as in SearchSpace, below 1
    virtual void setTolerance(double /*tolerance*/) {}
    virtual void setTargetConfidence(double /*probability*/) {}
    /// Sets the maximum number of trials; at least as many as were recorded.
    virtual void setMaxTrials(int /*maxTrials*/) {}
};

/// Returns the names of the strategies, as on the command line.
std::vector<std::string_view> strategyNames();

/// Returns the strategy of that name. If only one size is allowed, there is nothing to search: one trial
/// verifies the size, whatever the name.
/// \throws std::invalid_argument with a sentence, if there is no such strategy or the space allows no size
std::unique_ptr<Strategy> makeStrategy(std::string_view name, const SearchSpace& space);

} // namespace batchpeak::search
