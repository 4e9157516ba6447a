// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "searching_strategy.h"

#include "calibration.h"
#include "continuation_estimate.h"
#include "random_source.h"
#include "throughput.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::search {

namespace {

// A trial is abandoned if even its fastest step is slower than the best size by this share plus this many
// deviations of a step and of a trial.
constexpr double abandonShare = 0.05;
constexpr double abandonNoises = 3.0;
constexpr double abandonTrialNoises = 2.0;
constexpr double maxAbandonShare = 0.5;

/// Smallest doubt that a target may require: even a target of 100 % is taken to accept this much.
constexpr double minDoubtAccepted = 0.01;

/// The middle of the range that memory may hold.
constexpr double evenChance = 0.5;
/// A probability above this is more likely than not.
constexpr double probable = 0.5;

/// Fewer sizes say nothing about the curve between them.
constexpr std::size_t fewestSizes = 3;

// The confidence is as high as the device allows if a higher one would take longer than all trials so far and
// could gain less than this share of the tolerance, or if it would take this many times as long, whatever it
// could gain. With fewer trials, neither is known well enough: of 8 to 28, this number cost restless devices
// the fewest right answers for their time.
constexpr double littleGain = 0.3;
constexpr double hopelessTimes = 16.0;
constexpr int fewestForOutOfReach = 24;

/// A normalization over the samples of a micro-batch needs two of them, and other operations need pairs or
/// groups. A network that refuses these sizes refuses all.
constexpr int firstSizesLeft = 2;

/// A convolution may have a faster algorithm with a larger workspace at a small size: people have seen 4 run
/// out of memory where 16 ran.
constexpr std::int64_t decidingFactor = 4;

/// A trial that a person did not want now may be worth it when more is known.
constexpr int trialsBeforeSkippedAgain = 3;

MemoryModel initialMemory(const SearchSpace& space, const CandidateSet& candidates,
                          const TrialHistory& history)
{
    RandomSource random(space.seed);
    return {space, candidates, history, random};
}

} // namespace

SearchingStrategy::SearchingStrategy(const SearchSpace& space, StoppingRule stoppingRule)
    : m_space(space),
      m_stoppingRule(stoppingRule),
      m_candidates(space),
      m_history(space.memoryLimitBytes),
      m_memory(initialMemory(m_space, m_candidates, m_history))
{}

void SearchingStrategy::record(const Measurement& measurement)
{
    if (const auto place = std::ranges::find(m_inFlight, measurement.size); place != m_inFlight.end())
        m_inFlight.erase(place);
    const bool isUnlikely = measurement.size == m_history.oddSize()
                                ? decidingSize(measurement.size).has_value()
                                : safety().isHeldByFar(measurement.size);
    if (m_history.contradictsRecalled(measurement))
        forgetRecalled();
    m_history.record(measurement, isUnlikely);
    m_cost.record(m_history.all().back());
    if (m_skippedFor > 0 && --m_skippedFor == 0)
        m_skipped.clear();
    m_evidenceBefore = m_summary.evidence;
    learn(m_evidenceBefore);
}

void SearchingStrategy::learnFromEarlier(std::span<const Measurement> measurements)
{
    if (!m_history.all().empty() || measurements.empty())
        return;
    for (Measurement measurement : measurements) {
        if (!measurement.isRecalled())
            continue;
        m_history.record(std::move(measurement));
        const Measurement& recalled = m_history.all().back();
        m_cost.record(recalled);
        if (m_baseSize == 0 && recalled.ran() && m_candidates.contains(recalled.size))
            m_baseSize = recalled.size;
    }
    learn({});
    // There may be no size to try of those that fitted in more memory than today's.
    if (m_searchState.status == SearchState::Status::Searching)
        return;
    forgetRecalled();
    learn({});
}

/// Restores the state as if recall() had never been called.
void SearchingStrategy::forgetRecalled()
{
    m_history.forgetRecalled();
    m_cost = {};
    for (const Measurement& trial : m_history.all())
        m_cost.record(trial);
    m_posterior.reset();
    m_summary = {};
    m_baseSize = 0;
}

std::int64_t SearchingStrategy::recalledToCheck() const
{
    const std::int64_t size = m_history.recalledTrials() > 0 ? m_summary.best : 0;
    const bool isToCheck = size > 0 && !m_history.hasRunNow(size);
    return isToCheck && safety().isUsable(size) && safety().isSafe(size) ? size : 0;
}

/// Learns from all trials so far; the same trials draw the same paths each time.
void SearchingStrategy::learn(const std::optional<CalibrationCase>& before)
{
    RandomSource random(m_space.seed + m_history.all().size());
    m_memory = MemoryModel(m_space, m_candidates, m_history, random);
    if (!m_history.timed().empty()) {
        m_posterior.emplace(m_space, m_candidates, m_history, m_memory, random);
        m_summary = summarize(m_space, *m_posterior, m_history, m_memory, before);
    }
    m_continuation = m_posterior ? continuationOf(*m_posterior, m_summary, m_cost) : std::nullopt;
    judgeConfidence();
    plan();
}

void SearchingStrategy::judgeConfidence()
{
    if (m_stoppingRule != StoppingRule::Confident)
        return;
    const bool knowsEnough = isBestChecked() && (m_history.goodSizes().size() >= fewestSizes || allTried());
    m_isConfident = m_summary.best > 0 && knowsEnough && m_summary.probability >= m_space.targetConfidence;
}

bool SearchingStrategy::isBestChecked() const
{
    return m_history.recalledTrials() == 0 || m_history.isCheckedNow(m_summary.best);
}

Abilities SearchingStrategy::abilities() const
{
    const bool isForConfidence = m_stoppingRule == StoppingRule::Confident;
    return {.excludesSizes = true,
            .triesAskedSizes = true,
            .changesTolerance = true,
            .changesTargetConfidence = isForConfidence,
            .changesMaxTrials = true};
}

void SearchingStrategy::setExcluded(std::int64_t size, bool isExcluded)
{
    if (m_candidates.setExcluded(size, isExcluded))
        learn(m_evidenceBefore);
}

std::optional<Proposal> SearchingStrategy::asked(std::int64_t size)
{
    if (!m_candidates.contains(size))
        return std::nullopt;
    Proposal proposal = proposalFor(trialOf(size));
    proposal.purpose = trial::Purpose::Asked;
    proposal.against = 0;
    // A person who asks for a size wants its result.
    proposal.abandonAboveSeconds = 0.0;
    return proposal;
}

void SearchingStrategy::skip(std::span<const std::int64_t> sizes)
{
    for (const std::int64_t size : sizes) {
        std::erase(m_inFlight, size);
        m_skipped.push_back(size);
    }
    m_skippedFor = trialsBeforeSkippedAgain;
    plan();
}

void SearchingStrategy::setTolerance(double tolerance)
{
    if (!(tolerance > 0.0) || !(tolerance < 1.0) || tolerance == m_space.tolerance)
        return;
    m_space.tolerance = tolerance;
    // A share that was steadied within another tolerance does not apply here.
    m_evidenceBefore.reset();
    learn({});
}

void SearchingStrategy::setTargetConfidence(double probability)
{
    if (!(probability > 0.0))
        return;
    m_space.targetConfidence = probability;
    judgeConfidence();
    plan();
}

void SearchingStrategy::setMaxTrials(int maxTrials)
{
    m_space.maxTrials = std::max(maxTrials, m_history.countedTrials());
    plan();
}

void SearchingStrategy::continueSearch(int maxTrials)
{
    m_space.maxTrials = std::max(m_space.maxTrials, maxTrials);
    m_continues = true;
    plan();
}

bool SearchingStrategy::canContinue()
{
    if (m_searchState.status == SearchState::Status::NothingFits)
        return false;
    const bool continues = std::exchange(m_continues, true);
    const std::vector<std::int64_t> inFlight = std::exchange(m_inFlight, {});
    const std::vector<std::int64_t> skipped = std::exchange(m_skipped, {});
    const bool hasMore = nextChoice().has_value();
    m_continues = continues;
    m_inFlight = inFlight;
    m_skipped = skipped;
    return hasMore;
}

std::optional<Proposal> SearchingStrategy::next(std::span<const std::int64_t> inFlight)
{
    if (!m_isPlanned || !std::ranges::equal(m_inFlight, inFlight)) {
        m_inFlight.assign(inFlight.begin(), inFlight.end());
        plan();
    }
    const int trials = m_history.countedTrials() + static_cast<int>(m_inFlight.size());
    if (m_searchState.status != SearchState::Status::Searching || trials >= m_space.maxTrials || !m_next)
        return std::nullopt;
    m_inFlight.push_back(m_next->size);
    m_isPlanned = false;
    return proposalFor(*m_next);
}

void SearchingStrategy::plan()
{
    m_next = nextChoice();
    if (!m_next && m_inFlight.empty() && !m_skipped.empty()) {
        m_skipped.clear();
        m_skippedFor = 0;
        m_next = nextChoice();
    }
    m_isPlanned = true;
    const int done = m_history.countedTrials();
    m_searchState = {.status = status(),
                     .estimates = m_summary.measured,
                     .curve = m_summary.curve,
                     .memory = m_memory.line(),
                     .allocatedMemory = m_memory.allocatedLine(),
                     .largestPredictedFit = m_memory.largestPredictedFit(),
                     .smallestFailure = m_history.smallestFailure(),
                     .expectedTrials = done,
                     .recalledTrials = m_history.recalledTrials(),
                     .contenders = m_summary.contenders,
                     .otherContenders = m_summary.otherContenders,
                     .excluded = m_candidates.excluded(),
                     .speedLimit = m_summary.speedLimit};
    const bool hasEnded = m_searchState.status != SearchState::Status::Searching;
    if (!hasEnded) {
        m_searchState.forecast =
            withinBudget(m_continues ? forecastOfTrials(m_space.maxTrials - done) : forecast(m_next));
        const auto left = static_cast<int>(std::lround(m_searchState.forecast->trials.likely));
        m_searchState.expectedTrials = std::min(done + std::max(left, 1), m_space.maxTrials);
    }
    if (!hasEnded && m_next)
        m_searchState.next = trialPlanOf(*m_next);
    if (m_summary.best > 0 && (m_history.recalledTrials() == 0 || m_history.hasRunNow(m_summary.best)))
        m_searchState.recommendation = recommendation(hasEnded ? std::nullopt : m_next);
    // The gain of continuing is relative to a recommendation.
    if (!m_isConfident && m_searchState.recommendation)
        m_searchState.continuation = m_continuation;
}

SearchState::Status SearchingStrategy::status() const
{
    using Status = SearchState::Status;
    if (m_history.goodSizes().empty() && m_history.hasFailed(firstSize()))
        return Status::NothingFits;
    const bool isSpent = m_history.countedTrials() >= m_space.maxTrials;
    if (m_isConfident && (isSpent || !m_continues))
        return Status::Confident;
    if (isSpent)
        return Status::Budget;
    if (!m_continues && isOutOfReach())
        return Status::Exhausted;
    return m_next || !m_inFlight.empty() ? Status::Searching : Status::Exhausted;
}

bool SearchingStrategy::isOutOfReach() const
{
    return trialsBeforeOutOfReach() <= 0 && isBestChecked();
}

int SearchingStrategy::trialsBeforeOutOfReach() const
{
    return isTooFar() ? fewestForOutOfReach - m_history.countedTrials() - m_history.recalledTrials()
                      : m_space.maxTrials;
}

/// Whether telling the best size from its likeliest rival would take too long, or gain too little for that
/// time.
bool SearchingStrategy::isTooFar() const
{
    if (m_stoppingRule != StoppingRule::Confident || m_space.targetConfidence > 1.0 || !m_continuation)
        return false;
    const double times = m_continuation->seconds / secondsSoFar();
    return times > hopelessTimes || (times > 1.0 && m_continuation->gain < littleGain * m_space.tolerance);
}

double SearchingStrategy::secondsSoFar() const
{
    double seconds = 0.0;
    for (const Measurement& trial : m_history.all())
        seconds += std::isfinite(trial.wallSeconds) ? trial.wallSeconds : 0.0;
    return seconds;
}

ForecastCase SearchingStrategy::forecastCase() const
{
    const auto trials = static_cast<double>(std::max<std::size_t>(m_history.all().size(), 1));
    ForecastCase situation{.meanSeconds = secondsSoFar() / trials};
    situation.nextSeconds = situation.largestSeconds = situation.meanSeconds;
    if (m_next)
        situation.nextSeconds = proposalFor(*m_next).predictedWallSeconds.value_or(situation.meanSeconds);
    if (!m_posterior || m_summary.best == 0)
        return situation;
    const double largest = m_summary.stepSecondsAt(m_memory.largestWithFit(evenChance));
    situation.largestSeconds = m_cost.predictedWallSeconds(largest, TrialCost::length(largest, false));
    situation.lossShare = m_summary.expectedLoss / m_space.tolerance;
    situation.rivals = static_cast<int>(std::ranges::count_if(
        m_summary.rivals, [](const auto& rival) { return rival.probability > countedRival; }));
    situation.leadingShare = m_summary.contenders.empty() ? 0.0 : m_summary.contenders.front().probability;
    situation.stepDeviation =
        m_posterior->trials().noise.pooledDeviation(m_summary.stepSecondsAt(m_summary.best));
    return situation;
}

Forecast SearchingStrategy::forecastOfTrials(int trials) const
{
    const double left = std::max(trials, 0);
    Forecast forecast{.trials = {.likely = left, .low = left / 2.0, .high = 2.0 * left}};
    if (!m_history.all().empty()) {
        const double perTrial = secondsSoFar() / static_cast<double>(m_history.all().size());
        forecast.seconds = Estimate{.likely = forecast.trials.likely * perTrial,
                                    .low = forecast.trials.low * perTrial,
                                    .high = forecast.trials.high * perTrial};
    }
    return forecast;
}

Forecast SearchingStrategy::withinBudget(Forecast forecast) const
{
    return atMost(forecast, std::max(m_space.maxTrials - m_history.countedTrials(), 0));
}

Forecast SearchingStrategy::atMost(Forecast forecast, int maxTrials)
{
    const auto max = static_cast<double>(maxTrials);
    for (double Estimate::*part : {&Estimate::likely, &Estimate::low, &Estimate::high}) {
        double& trials = forecast.trials.*part;
        if (trials > max && forecast.seconds)
            (*forecast.seconds).*part *= max / trials;
        trials = std::min(trials, max);
    }
    // Fewer trials may have been expected to take longer each.
    if (forecast.seconds) {
        forecast.seconds->low = std::min(forecast.seconds->low, forecast.seconds->likely);
        forecast.seconds->high = std::max(forecast.seconds->high, forecast.seconds->likely);
    }
    return forecast;
}

Recommendation SearchingStrategy::recommendation(const std::optional<Choice>& next)
{
    if (m_baseSize == 0)
        m_baseSize = m_summary.best;
    const SizeEstimate& best = *m_summary.find(m_summary.best);
    // The base may be of another day, for which there is no estimate except the curve.
    const SizeEstimate* base = m_summary.find(m_baseSize);
    double performance = base ? best.samplesPerSecond / base->samplesPerSecond : 1.0;
    if (!base && m_posterior->contains(m_baseSize))
        performance = std::exp(m_posterior->meanObjective(m_posterior->indexOf(best.size)) -
                               m_posterior->meanObjective(m_posterior->indexOf(m_baseSize)));
    return {.size = best.size,
            .samplesPerSecond = best.samplesPerSecond,
            .relativeError = best.relativeError,
            .relativePerformance = performance,
            .confidence = confidencePercent(m_summary.probability),
            .expectedLoss = m_summary.expectedLoss,
            .reason = reason(next),
            .smallestWithinTolerance = m_summary.smallestWithinTolerance};
}

Reason SearchingStrategy::reason(const std::optional<Choice>& next) const
{
    Reason reason{.next = next ? next->size : 0,
                  .comparedNext = next ? next->comparedSizes : std::vector<std::int64_t>(),
                  .largestPredictedFit = m_memory.largestPredictedFit(),
                  .instability = m_summary.instability};
    const SizeEstimate& best = *m_summary.find(m_summary.best);
    double runnerUpSpeed = 0.0;
    for (const SizeEstimate& size : m_summary.measured) {
        // A size of another day alone may be faster, but is not an answer all the same.
        const bool isAhead = !std::ranges::binary_search(m_posterior->measured(), size.size) &&
                             size.samplesPerSecond > best.samplesPerSecond;
        if (size.size != best.size && !isAhead && size.samplesPerSecond > runnerUpSpeed) {
            runnerUpSpeed = size.samplesPerSecond;
            reason.runnerUp = size.size;
            reason.leadOverRunnerUp = best.samplesPerSecond / size.samplesPerSecond - 1.0;
        }
    }
    if (!m_summary.rivals.empty()) {
        reason.rival = m_summary.rivals.front().size;
        reason.rivalProbability = m_summary.rivals.front().probability;
    }

    const std::optional<std::int64_t> above = m_candidates.above(best.size);
    if (next && next->size > best.size && climbsForSpeed(*next))
        reason.kind = Reason::Kind::Climbing;
    else if (next && m_history.goodSizes().size() < fewestSizes)
        reason.kind = Reason::Kind::TooEarly;
    else if (above && !safety().isSafe(*above) && m_history.isMemoryTheBound())
        reason.kind = Reason::Kind::MemoryEnds;
    else if (!next && allTried() && m_history.smallestFailure() == 0)
        reason.kind = Reason::Kind::AllTried;
    else
        reason.kind = Reason::Kind::Compared;
    return reason;
}

std::optional<SearchingStrategy::Choice> SearchingStrategy::nextChoice() const
{
    const std::optional<Choice> inDoubt = trialInDoubt();
    return inDoubt ? inDoubt : choose();
}

/// Returns a trial of the odd size again, or of the size that decides about it.
std::optional<SearchingStrategy::Choice> SearchingStrategy::trialInDoubt() const
{
    const std::int64_t odd = m_history.oddSize();
    if (odd == 0 || safety().isBesideUnknown())
        return std::nullopt;
    const bool isToRepeat = !m_history.isGivenUp(odd);
    const std::optional<std::int64_t> size = isToRepeat ? odd : decidingSize(odd);
    if (!size || !safety().mayBeTried(*size))
        return std::nullopt;
    Choice choice = trialOf(*size);
    choice.probesMemory = true;
    return choice;
}

/// Returns a size far enough above the odd one to tell whether all larger sizes fail.
std::optional<std::int64_t> SearchingStrategy::decidingSize(std::int64_t odd) const
{
    const TrialSafety rules = safety();
    for (const std::int64_t factor : {decidingFactor, decidingFactor / 2}) {
        const std::optional<std::int64_t> size = m_candidates.atMost(factor * odd);
        if (size && *size > odd && rules.mayBeTried(*size))
            return size;
    }
    return std::nullopt;
}

std::int64_t SearchingStrategy::firstSize() const
{
    std::int64_t size = m_candidates.smallest();
    for (int left = 0; left < firstSizesLeft && isRefused(size); ++left) {
        std::optional<std::int64_t> next = m_candidates.above(2 * size - 1);
        if (!next)
            next = m_candidates.above(size);
        size = next.value_or(size);
    }
    return size;
}

/// Whether the size does not run, whatever the memory.
bool SearchingStrategy::isRefused(std::int64_t size) const
{
    const auto refuses = [size](const Measurement& trial) {
        return trial.size == size && trial.outcome == trial::Outcome::Unsupported;
    };
    return !m_history.isGood(size) &&
           (m_history.isGivenUp(size) || std::ranges::any_of(m_history.all(), refuses));
}

bool SearchingStrategy::allTried() const
{
    for (std::optional<std::int64_t> size = m_candidates.smallest(); size; size = m_candidates.above(*size)) {
        if (m_memory.probabilityOfFit(*size) > 0.0 && m_history.timedTrials(*size) == 0 &&
            !m_history.isGivenUp(*size))
            return false;
    }
    return true;
}

bool SearchingStrategy::climbsTo(std::int64_t size) const
{
    return size > m_history.largestRun() && m_summary.best == m_history.largestGood();
}

SearchingStrategy::Choice SearchingStrategy::trialOf(std::int64_t size) const
{
    return {.size = size,
            .length = TrialCost::length(m_summary.stepSecondsAt(size), false),
            .isClimbing = climbsTo(size)};
}

int SearchingStrategy::trialsUntilConfident(double trialsPerHalving) const
{
    const double accepted = std::max(1.0 - m_space.targetConfidence, minDoubtAccepted);
    const double doubt = (1.0 - m_summary.probability) / accepted;
    return 1 + static_cast<int>(std::ceil(trialsPerHalving * std::log2(std::max(doubt, 1.0))));
}

NextTrial SearchingStrategy::trialPlanOf(const Choice& choice) const
{
    NextTrial next{.sizes = choice.comparedSizes, .purpose = purposeOf(choice)};
    if (next.sizes.empty())
        next.sizes.push_back(choice.size);
    if (next.purpose == trial::Purpose::Remeasuring || next.purpose == trial::Purpose::Rival)
        next.against = rivalOf(choice.size);
    return next;
}

/// Whether the trial goes up because a larger size is probably the fastest, according to trials of at least
/// two sizes.
bool SearchingStrategy::climbsForSpeed(const Choice& choice) const
{
    return choice.isClimbing && m_summary.evidence && m_summary.chanceOfLarger > probable;
}

trial::Purpose SearchingStrategy::purposeOf(const Choice& choice) const
{
    using trial::Purpose;
    if (!choice.comparedSizes.empty())
        return Purpose::Comparison;
    if (choice.probesMemory)
        return Purpose::Memory;
    const bool isFirst = m_history.goodSizes().size() < fewestSizes;
    // Strategies that stop when nothing is left to try look for the largest size that fits.
    if (m_stoppingRule == StoppingRule::Exhausted && !(isFirst && choice.size <= m_history.largestRun() + 1))
        return choice.isClimbing ? Purpose::Climbing : Purpose::Memory;
    if (isFirst)
        return Purpose::FirstSizes;
    if (climbsForSpeed(choice))
        return Purpose::Climbing;
    return m_history.timedTrials(choice.size) > 0 ? Purpose::Remeasuring : Purpose::Rival;
}

/// Returns the recommended size or, for that size itself, the one most likely to beat it; 0 if there is none.
std::int64_t SearchingStrategy::rivalOf(std::int64_t size) const
{
    if (size != m_summary.best)
        return m_summary.best;
    return m_summary.rivals.empty() ? 0 : m_summary.rivals.front().size;
}

Proposal SearchingStrategy::proposalFor(const Choice& choice) const
{
    const NextTrial plan = trialPlanOf(choice);
    Proposal proposal{.size = choice.size,
                      .minSteps = choice.length.minSteps,
                      .maxSteps = choice.length.maxSteps,
                      .minSeconds = choice.length.minSeconds,
                      .comparedSizes = choice.comparedSizes,
                      .visits = choice.visits,
                      .stepsPerVisit = choice.stepsPerVisit,
                      .abandonAboveSeconds = abandonAbove(choice.size),
                      .predictedFit = safety().predictedFit(choice.size),
                      .purpose = plan.purpose,
                      .against = plan.against};
    std::vector<double> compared;
    for (const std::int64_t size : choice.comparedSizes)
        compared.push_back(m_summary.stepSecondsAt(size));
    if (!compared.empty())
        proposal.predictedWallSeconds =
            m_cost.comparisonSeconds(compared, choice.visits, choice.stepsPerVisit);
    else if (const double seconds = m_summary.stepSecondsAt(choice.size); seconds > 0.0)
        proposal.predictedWallSeconds = m_cost.predictedWallSeconds(seconds, choice.length);
    return proposal;
}

double SearchingStrategy::abandonAbove(std::int64_t size) const
{
    const SizeEstimate* best = m_summary.find(m_summary.best);
    if (!best || m_history.timedTrials(size) > 0)
        return 0.0;
    const Throughput throughput(m_space, m_summary.optimizerSeconds);
    const double seconds = throughput.secondsFor(size, best->samplesPerSecond);
    if (seconds <= 0.0)
        return 0.0;
    const double margin = abandonShare +
                          abandonNoises * m_posterior->trials().noise.pooledDeviation(seconds) +
                          abandonTrialNoises * m_posterior->trialDeviation();
    return throughput.secondsFor(size, best->samplesPerSecond * (1.0 - std::min(margin, maxAbandonShare)));
}

} // namespace batchpeak::search
