// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "judge.h"

#include "calibration.h"
#include "curve/posterior.h"
#include "instability.h"
#include "memory/memory_model.h"
#include "speed_limit_finder.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

/// One trial knows nothing of the curve.
constexpr double probabilityAtFirst = 0.02;
/// Where the device itself changes, no more than this is stated of it.
constexpr double mostOnRestlessDevice = 0.69;
/// Part of the draws of the largest fitting size that the drawn curve leaves out at the top.
constexpr double curveEndProbability = 0.05;
constexpr double leastRivalProbability = 0.005;
constexpr Eigen::Index curvePoints = 200;
constexpr double lowQuantile = 0.05;
constexpr double highQuantile = 0.95;

double quantile(std::vector<double>& values, double share)
{
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

/// About two hundred sizes, and every measured one, so that the curve that is drawn meets what was seen.
std::vector<CurvePoint> curveOf(const Posterior& posterior, std::int64_t limit)
{
    const Eigen::Index end = posterior.indexAtMost(limit) + 1;
    const Eigen::Index stride = std::max<Eigen::Index>(end / curvePoints, 1);
    std::vector<CurvePoint> points;
    std::vector<double> values(static_cast<std::size_t>(posterior.pathCount()));
    for (Eigen::Index size = 0; size < end; ++size) {
        const std::int64_t samples = posterior.sizes()[static_cast<std::size_t>(size)];
        if (size % stride != 0 && !std::ranges::binary_search(posterior.measured(), samples))
            continue;
        for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
            values[static_cast<std::size_t>(path)] = posterior.objective(size, path);
        points.push_back({.size = static_cast<double>(samples),
                          .samplesPerSecond = std::exp(quantile(values, 0.5)),
                          .low = std::exp(quantile(values, lowQuantile)),
                          .high = std::exp(quantile(values, highQuantile))});
    }
    return points;
}

std::vector<Judgement::Rival> rivalsOf(const Posterior& posterior)
{
    const std::vector<std::int64_t>& sizes = posterior.sizes();
    const Eigen::Index best = posterior.indexOf(posterior.recommended());
    std::vector<int> wins(sizes.size());
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path) {
        const double needed = posterior.objective(best, path) + posterior.logTolerance();
        const Eigen::Index end = posterior.indexAtMost(posterior.largestFit(path)) + 1;
        for (Eigen::Index size = 0; size < end; ++size) {
            if (posterior.isAllowed(size) && posterior.objective(size, path) > needed)
                ++wins[static_cast<std::size_t>(size)];
        }
    }
    std::vector<Judgement::Rival> rivals;
    for (std::size_t size = 0; size < wins.size(); ++size) {
        const double probability = wins[size] / static_cast<double>(posterior.pathCount());
        if (probability >= leastRivalProbability)
            rivals.push_back({.size = sizes[size], .probability = probability});
    }
    std::ranges::stable_sort(rivals, std::ranges::greater(), &Judgement::Rival::probability);
    return rivals;
}

Judgement::MeasuredSize summaryOf(const Posterior& posterior, std::int64_t size)
{
    const Eigen::Index index = posterior.indexOf(size);
    return {.size = size,
            .samplesPerSecond = std::exp(posterior.meanObjective(index)),
            .relativeError = posterior.deviation(index)};
}

std::int64_t smallestWithinTolerance(const Posterior& posterior)
{
    for (const std::int64_t size : posterior.measured()) {
        if (size >= posterior.recommended())
            break;
        if (posterior.expectedRegret(size) <= posterior.logTolerance())
            return size;
    }
    return 0;
}

double probabilityOf(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                     const Instability& instability)
{
    if (posterior.sizes().size() == 1 || history.timed().size() < 2)
        return probabilityAtFirst;
    const CalibrationCase situation{.tolerance = space.tolerance,
                                    .divisorsOnly = !space.candidates.empty(),
                                    .severalDevices = space.devices > 1};
    const double probability = calibratedProbability(
        situation, posterior.shareWithin(posterior.recommended()), static_cast<int>(history.all().size()));
    // The calibration comes from devices that were calmer.
    return isGrave(instability, space.tolerance) ? std::min(probability, mostOnRestlessDevice) : probability;
}

} // namespace

Judgement judge(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                const MemoryModel& memory)
{
    Judgement judgement{.optimizerSeconds = posterior.optimizerSeconds(), .sizes = posterior.sizes()};
    for (const std::int64_t size : posterior.sizes()) {
        const double logSpeed = posterior.meanLogSpeed(posterior.indexOf(size));
        judgement.stepSeconds.push_back(static_cast<double>(size) / std::exp(logSpeed));
    }
    if (posterior.recommended() == 0)
        return judgement;
    judgement.best = posterior.recommended();
    judgement.instability = findInstability(space, posterior, history);
    judgement.probability = probabilityOf(space, posterior, history, judgement.instability);
    for (const std::int64_t size : posterior.measured())
        judgement.measured.push_back(summaryOf(posterior, size));
    if (history.timed().size() < 2 || posterior.sizes().size() == 1)
        return judgement;
    judgement.rivals = rivalsOf(posterior);
    judgement.smallestWithinTolerance = smallestWithinTolerance(posterior);
    judgement.speedLimit = SpeedLimitFinder(posterior, history).find();
    judgement.curve = curveOf(posterior, memory.largestWithFit(curveEndProbability));
    return judgement;
}

} // namespace batchpeak::search
