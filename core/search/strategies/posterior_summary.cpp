// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "posterior_summary.h"

#include "curve/long_run.h"
#include "curve/posterior.h"
#include "memory/memory_model.h"
#include "throughput.h"
#include "trial_cost.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace batchpeak::search {

namespace {

using Cause = Instability::Cause;

/// Fewer trials say nothing about the device.
constexpr std::size_t fewestTimedTrials = 4;
constexpr std::size_t lastTrials = 9;
constexpr double disturbedShare = 1.0 / 3.0;
/// The share of deviations that are within one standard deviation.
constexpr double shareWithinDeviation = 0.68;
/// Deviations whose correlation is higher than this change slowly.
constexpr double memoryOfDrift = 0.5;

/// \param ofNow  number of trials that are not recalled, which are the last ones
double disturbedShareOfLast(const std::vector<Measurement>& trials, std::size_t ofNow)
{
    const std::size_t count = std::min(ofNow, lastTrials);
    const auto disturbed = std::count_if(trials.end() - static_cast<std::ptrdiff_t>(count), trials.end(),
                                         [](const Measurement& trial) { return trial.disturbed; });
    return static_cast<double>(disturbed) / static_cast<double>(count);
}

double quantile(std::vector<double>& values, double share)
{
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

/// Returns the relative standard error of one more trial of the recommended size.
double trialError(const Posterior& posterior)
{
    const auto size = static_cast<double>(posterior.recommended());
    const double seconds =
        size / std::exp(posterior.meanLogSpeed(posterior.indexOf(posterior.recommended())));
    const double steps = TrialCost::length(seconds, false).stepsAt(seconds);
    return std::hypot(posterior.trials().noise.standardErrorAt(seconds, steps), posterior.trialDeviation());
}

/// How far the trials deviated from the curve, in the order of time. This is observed, while trialError() is
/// what the model expects.
struct Scatter
{
    /// Typical deviation, as a share of the step's time.
    double size = 0.0;
    /// Correlation of each deviation with the next one.
    double memory = 0.0;
};

Scatter scatterOf(const Posterior& posterior)
{
    const Observations& trials = posterior.trials();
    std::vector<double> deviations;
    for (Eigen::Index i = 0; i < trials.count(); ++i) {
        if (trials.isRecalled[i] > 0.0)
            continue;
        const Eigen::Index size = posterior.indexOf(static_cast<std::int64_t>(trials.size[i]));
        deviations.push_back(std::log(trials.seconds[i]) - trials.logSize[i] + posterior.meanLogSpeed(size));
    }
    std::vector<double> sorted = deviations;
    const double middle = quantile(sorted, 0.5);
    double together = 0.0;
    double apart = 0.0;
    std::vector<double> sizes;
    for (std::size_t i = 0; i < deviations.size(); ++i) {
        deviations[i] -= middle;
        apart += deviations[i] * deviations[i];
        together += i > 0 ? deviations[i] * deviations[i - 1] : 0.0;
        sizes.push_back(std::abs(deviations[i]));
    }
    return {.size = quantile(sizes, shareWithinDeviation), .memory = apart > 0.0 ? together / apart : 0.0};
}

/// Checks for other tenants before a changing speed, and that before noise, since the first two explain the
/// third.
Instability findInstability(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history)
{
    const auto ofNow =
        static_cast<std::size_t>(std::ranges::count(history.timed(), false, &Measurement::isRecalled));
    if (ofNow < fewestTimedTrials)
        return {};
    if (const double share = disturbedShareOfLast(history.timed(), ofNow); share >= disturbedShare)
        return {.cause = Cause::OtherTenants, .size = share};
    const Scatter scatter = scatterOf(posterior);
    if (scatter.size > space.tolerance && scatter.memory > memoryOfDrift)
        return {.cause = Cause::Drift, .size = scatter.size};
    // The scatter of trials on other days says nothing about today.
    const double expected = ofNow == history.timed().size() ? trialError(posterior) : 0.0;
    if (const double error = std::max(expected, scatter.size); error > space.tolerance)
        return {.cause = Cause::Noise, .size = error};
    return {};
}

using Kind = SpeedLimit::Kind;

/// With fewer sizes, every term of the curve is undetermined.
constexpr std::size_t fewestMeasuredSizes = 3;
/// At least this share of the draws must agree; a larger share is needed for Saturated, which rules larger
/// sizes out.
constexpr double majority = 0.5;
constexpr double majorityForSaturated = 0.7;

// "Where memory ends" is the last tenth of what fits, compared with the two tenths below it. Waves shorter
// than that have their best size in both ranges.
constexpr double endShare = 0.9;
constexpr double compareShare = 0.7;
/// Thrashing at a size more than twice as large does not explain the recommended one.
constexpr double nearFailure = 0.5;

bool thrashesNear(double size, const TrialHistory& history)
{
    return std::ranges::any_of(history.all(), [size](const Measurement& trial) {
        return trial.thrashes && size >= nearFailure * static_cast<double>(trial.size);
    });
}

bool wasTriedOff(std::int64_t alignment, const TrialHistory& history)
{
    return std::ranges::any_of(history.goodSizes(), [alignment](std::int64_t size) {
        return size > alignment && size % alignment != 0;
    });
}

/// One sample path, and the recommended size on it.
class SamplePath
{
public:
    SamplePath(const Posterior& posterior, const TrialHistory& history, Eigen::Index path)
        : m_posterior(posterior),
          m_history(history),
          m_path(path),
          m_size(static_cast<double>(posterior.recommended())),
          m_trend(posterior.paths().trends[static_cast<std::size_t>(path)]),
          m_coefficients(posterior.paths().coefficients.col(path)),
          m_seconds(m_trend.features(m_size).dot(m_coefficients))
    {}

    SpeedLimit limit(bool thrashes) const;

private:
    void addTiles(SpeedLimit& limit) const;
    double overheadShare() const;
    double doublingGain(double overheadShare) const;
    bool fallsAtTheEnd() const;
    double fastestWithin(const std::vector<std::int64_t>& sizes, double above, double upTo) const;

    const Posterior& m_posterior;
    const TrialHistory& m_history;
    Eigen::Index m_path;
    double m_size;
    const Trend& m_trend;
    Eigen::Vector4d m_coefficients;
    /// Time of a step at the recommended size according to the trend.
    double m_seconds;
};

SpeedLimit SamplePath::limit(bool thrashes) const
{
    SpeedLimit limit{.overheadShare = overheadShare()};
    limit.doublingGain = doublingGain(limit.overheadShare);
    addTiles(limit);
    const double tolerance = std::expm1(m_posterior.logTolerance());
    if (!thrashes && limit.jump > tolerance)
        limit.kind = Kind::TileQuantized;
    else if (thrashes || fallsAtTheEnd())
        limit.kind = Kind::MemoryThrashing;
    else if (limit.doublingGain > tolerance)
        limit.kind = Kind::LaunchBound;
    else if (!m_posterior.isLargerFaster(m_path))
        limit.kind = Kind::Saturated;
    return limit;
}

double SamplePath::overheadShare() const
{
    const bool isOneWave = m_trend.wave >= static_cast<double>(m_history.largestRun());
    return (m_coefficients[0] + (isOneWave ? m_coefficients[2] * m_trend.wave : 0.0)) / m_seconds;
}

double SamplePath::doublingGain(double overheadShare) const
{
    const double twice = 2.0 * m_size;
    if (twice <= static_cast<double>(m_posterior.largestFit(m_path))) {
        const double best = fastestWithin(m_posterior.sizes(), 1.5 * m_size, twice);
        return std::expm1(best -
                          m_posterior.logSpeed()(m_posterior.indexOf(m_posterior.recommended()), m_path));
    }
    // (a + b m) / m over (a + 2 b m) / 2 m, where a is this share of a + b m.
    return overheadShare / (2.0 - overheadShare);
}

void SamplePath::addTiles(SpeedLimit& limit) const
{
    if (m_trend.wave > 0.0 && m_trend.wave < static_cast<double>(m_history.largestRun())) {
        limit.period = std::llround(m_trend.wave);
        limit.jump = m_coefficients[2] * m_trend.wave / m_seconds;
    }
    // If every trial was aligned, the surcharge is a guess.
    if (const double misaligned = m_coefficients[3] * m_size / m_seconds;
        misaligned > limit.jump && wasTriedOff(m_trend.alignment, m_history)) {
        limit.period = m_trend.alignment;
        limit.jump = misaligned;
    }
}

bool SamplePath::fallsAtTheEnd() const
{
    // Among sizes that are only drawn, the fastest would be the luckiest draw.
    const std::vector<std::int64_t>& measured = m_posterior.measured();
    const auto limit = static_cast<double>(m_posterior.largestFit(m_path));
    const double atEnd = fastestWithin(measured, endShare * limit, limit);
    const double before = fastestWithin(measured, compareShare * limit, endShare * limit);
    return std::isfinite(atEnd) && before - atEnd > m_posterior.logTolerance();
}

/// Returns ln of the samples/s of the fastest of these sizes in the half-open range; minus infinity if there
/// is none.
double SamplePath::fastestWithin(const std::vector<std::int64_t>& sizes, double above, double upTo) const
{
    double fastest = -std::numeric_limits<double>::infinity();
    for (auto size = std::ranges::upper_bound(sizes, above);
         size != sizes.end() && static_cast<double>(*size) <= upTo; ++size)
        fastest = std::max(fastest, m_posterior.logSpeed()(m_posterior.indexOf(*size), m_path));
    return fastest;
}

/// Determines what limits the speed of the recommended size on most of the sample paths.
///
/// The checks for a path are, in this order: whether a size near it was flagged for thrashing; whether one
/// sample more than a whole wave, or than an aligned size, lengthens the step by more than the tolerance;
/// whether samples/s fall by more than the tolerance where memory ends; whether twice the size would gain
/// more than the tolerance. Otherwise the path is saturated, unless a size further above is faster by more
/// than the tolerance. A fitted constant is overhead; so is a wave that no measured size exceeds, since
/// nothing tells the two apart.
///
/// The result explains the recommendation and has no effect on it.
///
/// \param posterior  with a recommended size
SpeedLimit findSpeedLimit(const Posterior& posterior, const TrialHistory& history)
{
    if (history.goodSizes().size() < fewestMeasuredSizes)
        return {};
    const bool thrashes = thrashesNear(static_cast<double>(posterior.recommended()), history);
    const auto paths = static_cast<double>(posterior.pathCount());
    SpeedLimit limit;
    std::map<Kind, int> votes;
    std::vector<SpeedLimit> tiled;
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path) {
        const SpeedLimit ofPath = SamplePath(posterior, history, path).limit(thrashes);
        ++votes[ofPath.kind];
        limit.overheadShare += ofPath.overheadShare / paths;
        limit.doublingGain += ofPath.doublingGain / paths;
        if (ofPath.kind == Kind::TileQuantized)
            tiled.push_back(ofPath);
    }
    const auto max = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    limit.probability = static_cast<double>(max->second) / paths;
    if (limit.probability < (max->first == Kind::Saturated ? majorityForSaturated : majority))
        return limit;
    limit.kind = max->first;
    if (limit.kind == Kind::TileQuantized) {
        const auto middle = tiled.begin() + static_cast<std::ptrdiff_t>(tiled.size() / 2);
        std::ranges::nth_element(tiled, middle, {}, &SpeedLimit::period);
        limit.period = middle->period;
        std::ranges::nth_element(tiled, middle, {}, &SpeedLimit::jump);
        limit.jump = middle->jump;
    }
    return limit;
}

/// One trial says nothing about the curve.
constexpr double probabilityAtFirst = 0.02;
/// Share of the draws of the largest fitting size that the drawn curve leaves out at the top.
constexpr double curveEndProbability = 0.05;
constexpr double minNamedProbability = 0.005;
constexpr Eigen::Index curvePoints = 200;
constexpr double lowQuantile = 0.05;
constexpr double highQuantile = 0.95;

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
        if (probability >= minNamedProbability)
            rivals.push_back({.size = sizes[size], .probability = probability});
    }
    std::ranges::stable_sort(rivals, std::ranges::greater(), &PosteriorSummary::Rival::probability);
    return rivals;
}

/// Counts for each size the paths on which it is the best. Paths on which no allowed size fits count for
/// none.
void addContenders(PosteriorSummary& summary, const Posterior& posterior)
{
    const std::vector<std::int64_t>& sizes = posterior.sizes();
    std::vector<int> wins(sizes.size());
    int all = 0;
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path) {
        const auto best = static_cast<std::size_t>(posterior.bestOf(path));
        if (!posterior.isAllowed(posterior.bestOf(path)) || sizes[best] > posterior.largestFit(path))
            continue;
        ++wins[best];
        ++all;
    }
    const auto paths = static_cast<double>(posterior.pathCount());
    for (std::size_t size = 0; size < wins.size(); ++size) {
        if (wins[size] > 0)
            summary.contenders.push_back({.size = sizes[size], .probability = wins[size] / paths});
    }
    std::ranges::stable_sort(summary.contenders, std::ranges::greater(), &Contender::probability);
    if (summary.contenders.size() > maxContenders)
        summary.contenders.resize(maxContenders);
    double named = 0.0;
    for (const Contender& contender : summary.contenders)
        named += contender.probability;
    summary.otherContenders = std::max(0.0, all / paths - named);
}

double maxLoss(const Posterior& posterior)
{
    const Eigen::Index recommended = posterior.indexOf(posterior.recommended());
    std::vector<double> gaps(static_cast<std::size_t>(posterior.pathCount()));
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
        gaps[static_cast<std::size_t>(path)] = posterior.gap(recommended, path);
    return std::expm1(quantile(gaps, highQuantile));
}

double chanceOfLarger(const Posterior& posterior)
{
    int larger = 0;
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
        larger += posterior.isLargerFaster(path) ? 1 : 0;
    return static_cast<double>(larger) / static_cast<double>(posterior.pathCount());
}

/// Returns ln of the seconds of a step at the size of each trial (rows) for each path (columns).
Eigen::MatrixXd logSecondsOfTrials(const Posterior& posterior)
{
    const Observations& trials = posterior.trials();
    Eigen::MatrixXd logSeconds(trials.count(), posterior.pathCount());
    for (Eigen::Index i = 0; i < trials.count(); ++i) {
        const Eigen::Index size = posterior.indexOf(static_cast<std::int64_t>(trials.size[i]));
        logSeconds.row(i) = trials.logSize[i] - posterior.logSpeed().row(size).array();
    }
    return logSeconds;
}

SizeEstimate estimateOf(const Posterior& posterior, const LongRun& longRun, std::int64_t size)
{
    const Eigen::Index index = posterior.indexOf(size);
    Eigen::ArrayXd logSpeed(posterior.pathCount());
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
        logSpeed[path] = posterior.objective(index, path) - longRun.logSlowdown[path];
    const double mean = logSpeed.mean();
    return {.size = size,
            .samplesPerSecond = std::exp(mean),
            .relativeError = std::hypot(std::sqrt((logSpeed - mean).square().mean()), longRun.relativeError)};
}

/// Returns the curve at about two hundred sizes and at every measured one, so that the drawn curve meets the
/// measurements.
///
/// \param measured  ascending
std::vector<CurvePoint> curveOf(const Posterior& posterior, const LongRun& longRun,
                                const std::vector<std::int64_t>& measured, std::int64_t limit)
{
    const Eigen::Index end = posterior.indexAtMost(limit) + 1;
    const Eigen::Index stride = std::max<Eigen::Index>(end / curvePoints, 1);
    std::vector<CurvePoint> points;
    std::vector<double> values(static_cast<std::size_t>(posterior.pathCount()));
    for (Eigen::Index size = 0; size < end; ++size) {
        const std::int64_t samples = posterior.sizes()[static_cast<std::size_t>(size)];
        if (size % stride != 0 && !std::ranges::binary_search(measured, samples))
            continue;
        for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
            values[static_cast<std::size_t>(path)] =
                posterior.objective(size, path) - longRun.logSlowdown[path];
        points.push_back({.size = static_cast<double>(samples),
                          .samplesPerSecond = std::exp(quantile(values, 0.5)),
                          .low = std::exp(quantile(values, lowQuantile)),
                          .high = std::exp(quantile(values, highQuantile))});
    }
    return points;
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

/// Whether nothing but the recommended size is allowed and may fit.
bool isOnlyChoice(const Posterior& posterior)
{
    std::int64_t largest = 0;
    for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
        largest = std::max(largest, posterior.largestFit(path));
    const Eigen::Index end = posterior.indexAtMost(largest) + 1;
    for (Eigen::Index size = 0; size < end; ++size) {
        if (posterior.isAllowed(size) &&
            posterior.sizes()[static_cast<std::size_t>(size)] != posterior.recommended())
            return false;
    }
    return true;
}

} // namespace

PosteriorSummary summarize(const SearchSpace& space, const Posterior& posterior, const TrialHistory& history,
                           const MemoryModel& memory, const std::optional<CalibrationCase>& before)
{
    PosteriorSummary summary{.optimizerSeconds = posterior.optimizerSeconds(), .sizes = posterior.sizes()};
    const LongRun longRun(posterior.trials(), logSecondsOfTrials(posterior),
                          history.timed().back().clockSeconds);
    const double slowdown = std::exp(longRun.logSlowdown.mean());
    for (const std::int64_t size : posterior.sizes()) {
        const double logSpeed = posterior.meanLogSpeed(posterior.indexOf(size));
        summary.stepSeconds.push_back(slowdown * static_cast<double>(size) / std::exp(logSpeed));
    }
    if (posterior.recommended() == 0)
        return summary;
    summary.best = posterior.recommended();
    summary.chanceOfLarger = chanceOfLarger(posterior);
    summary.instability = findInstability(space, posterior, history);
    const bool knowsCurve = posterior.sizes().size() > 1 && history.timed().size() > 1;
    if (knowsCurve) {
        const double share = posterior.shareWithin(summary.best);
        // What another day said about another size says nothing about this one.
        const bool steadies = before && (history.recalledTrials() == 0 || before->size == summary.best);
        summary.evidence = {.tolerance = space.tolerance,
                            .severalDevices = space.devices > 1,
                            .share = steadied(share, steadies ? std::optional(before->share) : std::nullopt),
                            .size = summary.best};
    }
    if (isOnlyChoice(posterior))
        summary.probability = 1.0;
    else
        summary.probability =
            summary.evidence ? calibratedProbability(*summary.evidence) : probabilityAtFirst;
    summary.expectedLoss = calibratedLoss(posterior.expectedRegret(posterior.recommended()));
    summary.maxLoss = maxLoss(posterior);
    const double bare = posterior.shareWithin(summary.best);
    for (const std::int64_t size : history.goodSizes()) {
        // Sizes of another day alone are not an answer, but are shown beside those of today.
        if (!posterior.contains(size) || !posterior.isAllowed(posterior.indexOf(size)))
            continue;
        summary.measured.push_back(estimateOf(posterior, longRun, size));
        SizeEstimate& estimate = summary.measured.back();
        estimate.probabilityWithin = std::min(summary.probability, maxConfidence);
        if (size == summary.best || !summary.evidence)
            continue;
        CalibrationCase evidence = *summary.evidence;
        evidence.share = steadiedLike(posterior.shareWithin(size), bare, evidence.share);
        estimate.probabilityWithin = std::min(calibratedProbability(evidence), maxConfidence);
    }
    if (!knowsCurve)
        return summary;
    summary.rivals = rivalsOf(posterior);
    addContenders(summary, posterior);
    summary.smallestWithinTolerance = smallestWithinTolerance(posterior);
    summary.speedLimit = findSpeedLimit(posterior, history);
    summary.curve =
        curveOf(posterior, longRun, history.goodSizes(), memory.largestWithFit(curveEndProbability));
    return summary;
}

double PosteriorSummary::stepSecondsAt(std::int64_t size) const
{
    return sizes.empty() ? 0.0 : interpolatedSeconds(sizes, stepSeconds, size);
}

const SizeEstimate* PosteriorSummary::find(std::int64_t size) const
{
    const auto place = std::ranges::lower_bound(measured, size, {}, &SizeEstimate::size);
    return place != measured.end() && place->size == size ? &*place : nullptr;
}

} // namespace batchpeak::search
