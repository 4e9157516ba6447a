// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "posterior_strategy.h"

#include "random_source.h"

#include <algorithm>

namespace batchpeak::search {

namespace {

constexpr std::int64_t probeFactor = 8;
constexpr std::size_t probes = 3;
/// Share of the limit: sizes that need more may run out of memory because of what other sizes left behind.
constexpr double comparedShare = 0.95;

/// If only sizes that cannot be tried could still be better, or every size is known, no size is measured more
/// often than this.
constexpr int repeatsAllowed = 2;

/// The state in which further trials would hardly ever find another size: after this many trials, the
/// expected loss is at most this share of the tolerance. On noisy devices, the requested confidence would
/// take as many trials again, and hardly ever lead to another size.
struct AsGoodAsFound
{
    int trials = 0;
    double loss = 0.0;
};
constexpr AsGoodAsFound alone{.trials = 24, .loss = 0.4};
// Beside other programs, a trial takes longer and tells less: "batchpeak-bench-search --family level --world
// crowded" ends after 131 s in the median, 195 s with the other rule, and is as often within the tolerance
// within its error.
constexpr AsGoodAsFound besideOthers{.trials = 20, .loss = 1.0};
// Other programs count as present if they took more than this share of what trials could have used, in the
// mean.
constexpr double contentionOfOthers = 0.1;

// A trial beyond the recommended size that takes this share of the time of all trials so far must have this
// chance of a gain above the tolerance; a longer one, a proportionally higher chance. It goes up by this
// factor at most, since a person watches the search stand still for it. "batchpeak-bench-search --family
// level" ends after 89 s in the median, and after 108 s with a tenth for a trial of any length.
constexpr double costlyShare = 0.25;
constexpr double chanceForCostly = 0.3;
constexpr double maxChanceForCostly = 0.8;
constexpr std::int64_t costlyFactor = 2;

/// Any odd number works that keeps the draws of updates and of choices apart.
constexpr std::uint64_t choiceSeedStep = 7919;

} // namespace

PosteriorStrategy::PosteriorStrategy(const SearchSpace& space)
    : SearchingStrategy(space, StoppingRule::Confident)
{
    plan();
}

Abilities PosteriorStrategy::abilities() const
{
    Abilities abilities = SearchingStrategy::abilities();
    abilities.recalls = true;
    return abilities;
}

std::optional<SearchingStrategy::Choice> PosteriorStrategy::choose() const
{
    if (const std::int64_t size = recalledToCheck(); size > 0)
        return inFlight().empty() ? std::optional(trialOf(size)) : std::nullopt;
    if (isProbing()) {
        if (const auto size = probe())
            return trialOf(*size);
        // What the first sizes say bounds all others.
        if (!inFlight().empty())
            return std::nullopt;
    }
    return chooseByGain();
}

bool PosteriorStrategy::isProbing() const
{
    const std::size_t measured = history().goodSizes().size() + inFlight().size();
    const bool hintIsAbove = space().startingHint && *space().startingHint > history().largestGood();
    return measured < probes || (measured == probes && hintIsAbove);
}

std::optional<std::int64_t> PosteriorStrategy::probe() const
{
    if (history().goodSizes().empty() && inFlight().empty()) {
        const std::int64_t first = firstSize();
        return safety().isUsable(first) ? std::optional(first) : std::nullopt;
    }
    // Other devices run the next sizes at the same time, unless nothing is known of their memory.
    const bool knowsMemory = space().memoryPrior || space().memoryLimitBytes == 0;
    if (!inFlight().empty() && !knowsMemory)
        return std::nullopt;
    const std::int64_t last = inFlight().empty() ? history().largestGood() : std::ranges::max(inFlight());
    std::int64_t wanted = probeFactor * last;
    if (space().startingHint && *space().startingHint > last)
        wanted = std::min(wanted, *space().startingHint);
    const TrialSafety rules = safety();
    wanted = std::min(wanted, std::max(last + 1, rules.largestSafe()));
    const std::optional<std::int64_t> size = candidates().atMost(wanted);
    if (!size || history().timedTrials(*size) > 0 || !rules.mayBeTried(*size))
        return std::nullopt;
    return size;
}

bool PosteriorStrategy::isAsGoodAsFound() const
{
    return trialsBeforeAsGoodAsFound() <= 0;
}

int PosteriorStrategy::trialsBeforeAsGoodAsFound() const
{
    double taken = 0.0;
    int trials = 0;
    for (const Measurement& trial : history().all()) {
        if (!trial.ran() || trial.isRecalled())
            continue;
        taken += trial.contention;
        ++trials;
    }
    const AsGoodAsFound& rule = taken > contentionOfOthers * trials ? besideOthers : alone;
    return summary().expectedLoss < rule.loss * space().tolerance ? rule.trials - history().countedTrials()
                                                                  : space().maxTrials;
}

std::optional<SearchingStrategy::Choice> PosteriorStrategy::chooseByGain() const
{
    if (!posterior())
        return std::nullopt;
    if (posterior()->recommended() == 0)
        return candidates().excluded().empty() ? std::nullopt : untried();
    if (!continues() && isAsGoodAsFound())
        return std::nullopt;
    RandomSource random(space().seed + choiceSeedStep * (history().all().size() + 1) + inFlight().size());
    // A copy takes a tenth of the time of an update.
    std::optional<Posterior> believed;
    if (!inFlight().empty())
        believed.emplace(*posterior()).believe(inFlight(), random);
    const KnowledgeGradient gradient(believed ? *believed : *posterior(), cost(),
                                     static_cast<int>(history().all().size()), random);

    const TrialSafety rules = safety();
    std::vector<std::int64_t> sizes = gradient.candidates(rules.largestSafe(), history().largestRun());
    // The next size of a list may lie beyond all of these.
    const std::optional<std::int64_t> above = candidates().above(history().largestGood());
    if (!space().candidates.empty() && above && posterior()->contains(*above) &&
        std::ranges::find(sizes, *above) == sizes.end())
        sizes.push_back(*above);
    std::erase_if(sizes, [&](std::int64_t size) { return !rules.mayBeTried(size); });
    if (std::erase_if(sizes, [&](std::int64_t size) { return isTooCostly(size); }) > 0) {
        const std::optional<std::int64_t> nearer = candidates().atMost(costlyFactor * history().largestRun());
        if (nearer && posterior()->contains(*nearer) && rules.mayBeTried(*nearer) && !isTooCostly(*nearer) &&
            std::ranges::find(sizes, *nearer) == sizes.end())
            sizes.push_back(*nearer);
    }

    KnowledgeGradient::Choice choice;
    if (!sizes.empty())
        choice = gradient.best(sizes);
    else if (const auto repeated = bestToRepeat())
        choice.size = *repeated;
    else
        return std::nullopt;
    const bool mayCompare = space().comparesSizes && !history().isComparingGivenUp();
    const std::optional<KnowledgeGradient::Comparison> comparison =
        mayCompare ? gradient.bestComparison(comparableSizes()) : std::nullopt;
    const bool compares = comparison && !isTooCostly(*comparison) && comparison->score > choice.score;
    const Choice trial{.size = choice.size,
                       .length =
                           KnowledgeGradient::stepsOf(choice.length, summary().stepSecondsAt(choice.size)),
                       .isClimbing = climbsTo(choice.size)};
    if (!compares && history().timedTrials(choice.size) == 0)
        return trial;
    // Safe sizes have little left to gain, or else none of them would be measured again.
    const BoundaryProbe probe = boundaryProbe();
    if (const auto size = probe.next()) {
        Choice onTheWay = trialOf(*size);
        onTheWay.probesMemory = true;
        return onTheWay;
    }
    if (compares)
        return Choice{.size = comparison->sizes.front(),
                      .comparedSizes = comparison->sizes,
                      .visits = comparison->visits,
                      .stepsPerVisit = comparison->stepsPerVisit};
    if (!continues() && history().timedTrials(choice.size) > repeatsAllowed &&
        (probe.isInVain() || allTried()))
        return std::nullopt;
    return trial;
}

bool PosteriorStrategy::isTooCostly(std::int64_t size) const
{
    if (size <= summary().best || continues())
        return false;
    const double seconds = cost().predictedWallSeconds(summary().stepSecondsAt(size), trialOf(size).length);
    const double shares = seconds / (costlyShare * secondsSoFar());
    return shares > 1.0 && (size > costlyFactor * history().largestRun() ||
                            chanceNear(size) < std::min(maxChanceForCostly, chanceForCostly * shares));
}

bool PosteriorStrategy::isTooCostly(const KnowledgeGradient::Comparison& comparison) const
{
    std::vector<double> seconds;
    for (const std::int64_t size : comparison.sizes)
        seconds.push_back(summary().stepSecondsAt(size));
    return !continues() && cost().comparisonSeconds(seconds, comparison.visits, comparison.stepsPerVisit) >
                               costlyShare * secondsSoFar();
}

/// Returns the chance that a size from half of this one to twice it is faster than the recommended one by
/// more than the tolerance: neighbors are equally likely to be the fastest.
double PosteriorStrategy::chanceNear(std::int64_t size) const
{
    const Posterior& believed = *posterior();
    const Eigen::Index best = believed.indexOf(believed.recommended());
    const Eigen::Index from = believed.indexAtMost(size / 2) + 1;
    int gaining = 0;
    for (Eigen::Index path = 0; path < believed.pathCount(); ++path) {
        const double needed = believed.objective(best, path) + believed.logTolerance();
        const Eigen::Index end = believed.indexAtMost(std::min(2 * size, believed.largestFit(path))) + 1;
        bool gains = false;
        for (Eigen::Index other = from; other < end && !gains; ++other)
            gains = believed.isAllowed(other) && believed.objective(other, path) > needed;
        gaining += gains ? 1 : 0;
    }
    return static_cast<double>(gaining) / static_cast<double>(believed.pathCount());
}

/// Returns the nearest size that may be recommended, for when none of those that ran may be.
std::optional<SearchingStrategy::Choice> PosteriorStrategy::untried() const
{
    const TrialSafety rules = safety();
    const auto isWanted = [&](std::int64_t size) {
        return history().timedTrials(size) == 0 && rules.mayBeTried(size);
    };
    const std::int64_t largest = history().largestRun();
    const std::optional<std::int64_t> above = candidates().above(largest);
    if (above && isWanted(*above))
        return trialOf(*above);
    for (auto size = candidates().atMost(largest); size; size = candidates().atMost(*size - 1)) {
        if (isWanted(*size))
            return trialOf(*size);
    }
    return std::nullopt;
}

std::vector<std::int64_t> PosteriorStrategy::comparableSizes() const
{
    std::vector<std::int64_t> sizes;
    const double limit = comparedShare * static_cast<double>(space().memoryLimitBytes);
    for (const Measurement& trial : history().timed()) {
        // An ordinary trial of its own determines the memory of a size, which a comparison does not bound.
        if (trial.isRecalled() || !trial.visits.empty())
            continue;
        const bool hasRoom = limit <= 0.0 || static_cast<double>(trial.peakReservedBytes) <= limit;
        if (hasRoom && history().isGood(trial.size) && candidates().contains(trial.size) &&
            safety().isUsable(trial.size) && std::ranges::find(sizes, trial.size) == sizes.end())
            sizes.push_back(trial.size);
    }
    return sizes;
}

std::optional<std::int64_t> PosteriorStrategy::bestToRepeat() const
{
    // Beside trials in flight, it is the best of the finished sizes, since what is believed is not known.
    const TrialSafety rules = safety();
    std::optional<std::int64_t> best;
    for (const SizeEstimate& size : summary().measured) {
        const bool isBetter = !best || size.samplesPerSecond > summary().find(*best)->samplesPerSecond;
        if (isBetter && rules.mayBeTried(size.size))
            best = size.size;
    }
    return best;
}

Forecast PosteriorStrategy::forecast(const std::optional<Choice>& /*next*/) const
{
    if (history().all().empty())
        return {.trials = trialsOfASearch()};
    // This forecast uses what the rules say about the present state, which the durations of earlier searches
    // do not reflect. That state may change.
    const int trialsLeft = std::max(1, std::min(trialsBeforeOutOfReach(), trialsBeforeAsGoodAsFound()));
    const Forecast bySearches = forecastOf(forecastCase());
    const Forecast max = atMost(bySearches, 2 * trialsLeft);
    Forecast forecast = atMost(bySearches, trialsLeft);
    forecast.trials.high = max.trials.high;
    forecast.seconds->high = max.seconds->high;
    return forecast;
}

} // namespace batchpeak::search
