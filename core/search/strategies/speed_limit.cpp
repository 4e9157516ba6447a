// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "speed_limit.h"

#include "curve/posterior.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace batchpeak::search {

namespace {

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

} // namespace

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

} // namespace batchpeak::search
