// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "posterior_summary.h"

#include "calibration.h"
#include "curve/posterior.h"
#include "memory/memory_model.h"
#include "speed_limit.h"
#include "throughput.h"
#include "trial_cost.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace batchpeak::search {

namespace {

using Cause = Instability::Cause;

/// Fewer trials tell nothing of the device.
constexpr std::size_t fewestTrials = 4;
constexpr std::size_t lastTrials = 9;
constexpr double disturbedShare = 1.0 / 3.0;
/// A device that drifts by less is as calm as those that the confidence was calibrated on.
constexpr double calmDrift = 0.06;
/// Trials of one size further apart than this differ by the device's drift too [s].
constexpr double closeSeconds = 15.0;
/// Drift must show so many times more in trials far apart than in those close to each other.
constexpr double driftRatio = 2.0;
/// Multiples of the tolerance that a trial's noise must exceed to be grave.
constexpr double graveNoise = 4.0;

double disturbedShareOfLast(const std::vector<Measurement>& trials)
{
    const std::size_t count = std::min(trials.size(), lastTrials);
    const auto disturbed = std::count_if(trials.end() - static_cast<std::ptrdiff_t>(count), trials.end(),
                                         [](const Measurement& trial) { return trial.disturbed; });
    return static_cast<double>(disturbed) / static_cast<double>(count);
}

/// Relative standard error of one more trial of the recommended size.
double trialError(const Posterior& posterior)
{
    const auto size = static_cast<double>(posterior.recommended());
    const double seconds =
        size / std::exp(posterior.meanLogSpeed(posterior.indexOf(posterior.recommended())));
    const double steps = TrialCost::length(seconds, false).stepsAt(seconds);
    return std::hypot(posterior.trials().noise.standardErrorAt(seconds, steps), posterior.meanRunNoise());
}

/// How much trials of the same size differ from each other, whatever the model makes of it: the standard
/// deviation of one, relative; 0 where no size was measured twice.
struct RepeatScatter
{
    double close = 0.0;
    double far = 0.0;
};

class MeanSquare
{
public:
    void add(double difference)
    {
        m_sum += difference * difference;
        ++m_count;
    }
    /// Of one of the two that differ.
    double deviation() const { return m_count > 0 ? std::sqrt(0.5 * m_sum / m_count) : 0.0; }

private:
    double m_sum = 0.0;
    int m_count = 0;
};

RepeatScatter repeatScatter(const std::vector<Measurement>& trials)
{
    std::map<std::int64_t, const Measurement*> before;
    MeanSquare close;
    MeanSquare far;
    for (const Measurement& trial : trials) {
        if (const Measurement* last = std::exchange(before[trial.size], &trial)) {
            const bool isClose = trial.clockSeconds - last->clockSeconds < closeSeconds;
            (isClose ? close : far).add(std::log(trial.secondsPerStep / last->secondsPerStep));
        }
    }
    return {.close = close.deviation(), .far = far.deviation()};
}

/// Other tenants before drift before noise, since the first two explain the third.
Instability findInstability(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history)
{
    if (history.timed().size() < fewestTrials)
        return {};
    if (const double share = disturbedShareOfLast(history.timed()); share >= disturbedShare)
        return {.cause = Cause::OtherTenants, .size = share};
    const RepeatScatter scatter = repeatScatter(history.timed());
    const bool isFarWorse = scatter.far > calmDrift && scatter.far > driftRatio * scatter.close;
    const Eigen::VectorXd& drift = posterior.paths().drift;
    if (isFarWorse || 2 * (drift.array() > calmDrift).count() > drift.size())
        return {.cause = Cause::Drift, .size = std::max(drift.mean(), scatter.far)};
    if (const double error = std::max(trialError(posterior), scatter.close); error > space.tolerance)
        return {.cause = Cause::Noise, .size = error};
    return {};
}

/// One trial knows nothing of the curve.
constexpr double probabilityAtFirst = 0.02;
/// Where the device itself changes, no more than this is stated of it.
constexpr double mostOnUnstableDevice = 0.69;
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

std::vector<PosteriorSummary::Rival> rivalsOf(const Posterior& posterior)
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
    std::vector<PosteriorSummary::Rival> rivals;
    for (std::size_t size = 0; size < wins.size(); ++size) {
        const double probability = wins[size] / static_cast<double>(posterior.pathCount());
        if (probability >= leastRivalProbability)
            rivals.push_back({.size = sizes[size], .probability = probability});
    }
    std::ranges::stable_sort(rivals, std::ranges::greater(), &PosteriorSummary::Rival::probability);
    return rivals;
}

PosteriorSummary::MeasuredSize measuredSize(const Posterior& posterior, std::int64_t size)
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
    return isGrave(instability, space.tolerance) ? std::min(probability, mostOnUnstableDevice) : probability;
}

} // namespace

bool isGrave(const Instability& instability, double tolerance)
{
    return instability.cause == Cause::Drift || instability.cause == Cause::OtherTenants ||
           (instability.cause == Cause::Noise && instability.size > graveNoise * tolerance);
}

PosteriorSummary summarise(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                           const MemoryModel& memory)
{
    PosteriorSummary summary{.optimizerSeconds = posterior.optimizerSeconds(), .sizes = posterior.sizes()};
    for (const std::int64_t size : posterior.sizes()) {
        const double logSpeed = posterior.meanLogSpeed(posterior.indexOf(size));
        summary.stepSeconds.push_back(static_cast<double>(size) / std::exp(logSpeed));
    }
    if (posterior.recommended() == 0)
        return summary;
    summary.best = posterior.recommended();
    summary.instability = findInstability(space, posterior, history);
    summary.probability = probabilityOf(space, posterior, history, summary.instability);
    for (const std::int64_t size : posterior.measured())
        summary.measured.push_back(measuredSize(posterior, size));
    if (history.timed().size() < 2 || posterior.sizes().size() == 1)
        return summary;
    summary.rivals = rivalsOf(posterior);
    summary.smallestWithinTolerance = smallestWithinTolerance(posterior);
    summary.speedLimit = findSpeedLimit(posterior, history);
    summary.curve = curveOf(posterior, memory.largestWithFit(curveEndProbability));
    return summary;
}

double PosteriorSummary::stepSecondsAt(std::int64_t size) const
{
    return sizes.empty() ? 0.0 : interpolatedSeconds(sizes, stepSeconds, size);
}

const PosteriorSummary::MeasuredSize* PosteriorSummary::find(std::int64_t size) const
{
    const auto place = std::ranges::lower_bound(measured, size, {}, &MeasuredSize::size);
    return place != measured.end() && place->size == size ? &*place : nullptr;
}

} // namespace batchpeak::search
