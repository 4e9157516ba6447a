// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "judge.h"

#include "candidate_set.h"
#include "memory_model.h"
#include "objective_paths.h"
#include "step_noise.h"
#include "step_time_posterior.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchpeak::search {

namespace {

/// With one size nothing is known of the curve.
constexpr double shareOfOneSize = 0.02;
/// Above this multiple of the largest size that ran the curve is a guess, and a coarse grid does.
constexpr std::int64_t fineRatio = 4;
/// Part of the draws of the largest fitting size that the drawn curve leaves out at the top.
constexpr double curveEndProbability = 0.05;
constexpr double leastRivalProbability = 0.005;

// A loss in ln(samples/s) counts in full up to 12 %, beyond it less, so that a wild draw does not decide;
// leaving the tolerance costs something of its own.
constexpr double steepLoss = 0.12;
constexpr double flatSlope = 0.2;
constexpr double toleranceLoss = 0.03;

double lossOf(double gap, double logTolerance)
{
    const double size = gap < steepLoss ? gap : steepLoss + flatSlope * (gap - steepLoss);
    return size + (gap > logTolerance ? toleranceLoss : 0.0);
}

double medianOptimizerSeconds(const std::vector<Measurement>& trials)
{
    std::vector<double> seconds;
    for (const Measurement& trial : trials) {
        if (trial.optimizerSeconds > 0.0)
            seconds.push_back(trial.optimizerSeconds);
    }
    if (seconds.empty())
        return 0.0;
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}

std::vector<TimedSize> timedSizes(const std::vector<Measurement>& trials)
{
    const std::vector<double> errors = pooledErrors(trials);
    std::vector<TimedSize> sizes;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        sizes.push_back({.size = static_cast<double>(trials[i].size),
                         .seconds = trials[i].secondsPerStep,
                         .relativeError = errors[i]});
    }
    return sizes;
}

std::vector<std::int64_t> pathSizes(const CandidateSet& candidates, const TrialHistory& history,
                                    const MemoryModel& memory)
{
    std::vector<std::int64_t> sizes =
        candidates.grid(std::ranges::max(memory.largestFits()), fineRatio * history.largestRun());
    for (const Measurement& trial : history.timed())
        sizes.push_back(trial.size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// The best size of each path among those that are allowed and fit.
std::vector<double> tops(const ObjectivePaths& paths, const std::vector<bool>& isAllowed,
                         const MemoryModel& memory)
{
    std::vector<double> tops(paths.count(), -std::numeric_limits<double>::infinity());
    for (std::size_t path = 0; path < paths.count(); ++path) {
        const std::span<const double> values = paths.path(path);
        const std::int64_t largestFit = memory.largestFits()[path];
        for (std::size_t column = 0; column < values.size() && paths.sizes()[column] <= largestFit;
             ++column) {
            if (isAllowed[column])
                tops[path] = std::max(tops[path], values[column]);
        }
    }
    return tops;
}

void recommend(Judgement& judgement, const ObjectivePaths& paths, const std::vector<double>& tops,
               double logTolerance)
{
    double leastLoss = std::numeric_limits<double>::infinity();
    for (const Judgement::MeasuredSize& size : judgement.measured) {
        const std::size_t column = paths.columnOf(size.size);
        double loss = 0.0;
        int within = 0;
        for (std::size_t path = 0; path < paths.count(); ++path) {
            const double gap = std::max(tops[path] - paths.path(path)[column], 0.0);
            loss += lossOf(gap, logTolerance);
            within += gap <= logTolerance ? 1 : 0;
        }
        if (loss < leastLoss) {
            leastLoss = loss;
            judgement.best = size.size;
            judgement.share = within / static_cast<double>(paths.count());
        }
    }
}

void findRivals(Judgement& judgement, const ObjectivePaths& paths, const std::vector<bool>& isAllowed,
                const MemoryModel& memory, double logTolerance)
{
    std::vector<int> wins(paths.sizes().size());
    const std::size_t best = paths.columnOf(judgement.best);
    for (std::size_t path = 0; path < paths.count(); ++path) {
        const std::span<const double> values = paths.path(path);
        const double needed = values[best] + logTolerance;
        const std::int64_t largestFit = memory.largestFits()[path];
        for (std::size_t column = 0; column < values.size() && paths.sizes()[column] <= largestFit; ++column)
            wins[column] += isAllowed[column] && values[column] > needed ? 1 : 0;
    }
    for (std::size_t column = 0; column < wins.size(); ++column) {
        const double probability = wins[column] / static_cast<double>(paths.count());
        if (probability >= leastRivalProbability)
            judgement.rivals.push_back({.size = paths.sizes()[column], .probability = probability});
    }
    std::ranges::stable_sort(judgement.rivals, std::ranges::greater(), &Judgement::Rival::probability);
}

} // namespace

Judgement judge(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
                const MemoryModel& memory, RandomSource& random)
{
    Judgement judgement;
    if (history.timed().empty())
        return judgement;
    judgement.optimizerSeconds = medianOptimizerSeconds(history.timed());
    const SamplePaths stepTimes =
        StepTimePosterior(timedSizes(history.timed()))
            .draw(pathSizes(candidates, history, memory), MemoryModel::drawCount, random);
    judgement.sizes = stepTimes.sizes;
    judgement.stepSeconds = typicalSeconds(stepTimes);

    const ObjectivePaths paths(stepTimes, Throughput(space, judgement.optimizerSeconds));
    std::vector<bool> isAllowed;
    for (const std::int64_t size : paths.sizes())
        isAllowed.push_back(candidates.contains(size) && !history.hasFailed(size));
    for (const std::int64_t size : history.goodSizes()) {
        if (candidates.contains(size))
            judgement.measured.push_back(paths.summary(size));
    }
    if (judgement.measured.empty())
        return judgement;

    const double logTolerance = -std::log1p(-space.tolerance);
    recommend(judgement, paths, tops(paths, isAllowed, memory), logTolerance);
    if (judgement.sizes.size() == 1 || history.timed().size() == 1) {
        judgement.share = shareOfOneSize;
        return judgement;
    }
    findRivals(judgement, paths, isAllowed, memory, logTolerance);
    judgement.curve = paths.curve(memory.largestWithFit(curveEndProbability));
    return judgement;
}

} // namespace batchpeak::search
