// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "speed_limit_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace batchpeak::search {

namespace {

using Kind = SpeedLimit::Kind;

/// Fewer sizes leave every term of the curve open.
constexpr std::size_t fewestSizes = 3;
/// The draws must agree at least like this.
constexpr double majority = 0.5;

// Where memory ends: the last tenth of what fits, compared with as much again twice below it. Waves shorter
// than that have their best size in both.
constexpr double endShare = 0.9;
constexpr double compareShare = 0.7;
/// Thrashing at a size more than twice as large explains nothing of the recommended one.
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

} // namespace

SpeedLimitFinder::SpeedLimitFinder(const Posterior& posterior, const TrialHistory& history)
    : m_posterior(posterior),
      m_history(history),
      m_best(posterior.indexOf(posterior.recommended())),
      m_size(static_cast<double>(posterior.recommended())),
      m_thrashes(thrashesNear(m_size, history))
{}

SpeedLimit SpeedLimitFinder::find() const
{
    if (m_history.goodSizes().size() < fewestSizes)
        return {};
    const Eigen::Index paths = m_posterior.pathCount();
    SpeedLimit limit;
    std::map<Kind, int> votes;
    std::vector<Verdict> tiled;
    for (Eigen::Index path = 0; path < paths; ++path) {
        const Verdict verdict = ask(path);
        ++votes[verdict.kind];
        limit.overheadShare += verdict.overheadShare / static_cast<double>(paths);
        limit.doublingGain += verdict.doublingGain / static_cast<double>(paths);
        if (verdict.kind == Kind::TileQuantised)
            tiled.push_back(verdict);
    }
    const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    limit.probability = static_cast<double>(most->second) / static_cast<double>(paths);
    if (limit.probability < majority)
        return limit;
    limit.kind = most->first;
    if (limit.kind == Kind::TileQuantised) {
        const auto middle = tiled.begin() + static_cast<std::ptrdiff_t>(tiled.size() / 2);
        std::ranges::nth_element(tiled, middle, {}, &Verdict::period);
        limit.period = middle->period;
        std::ranges::nth_element(tiled, middle, {}, &Verdict::jump);
        limit.jump = middle->jump;
    }
    return limit;
}

SpeedLimitFinder::Verdict SpeedLimitFinder::ask(Eigen::Index path) const
{
    const CurvePaths& curves = m_posterior.curves();
    const CurveShape& shape = curves.shapes[static_cast<std::size_t>(path)];
    const double seconds = shape.features(m_size).dot(Eigen::Vector4d(curves.theta.col(path)));
    Verdict verdict{.overheadShare = overheadShare(path, seconds)};
    verdict.doublingGain = doublingGain(path, verdict.overheadShare);
    addTiles(verdict, path, seconds);
    const double tolerance = std::expm1(m_posterior.logTolerance());
    if (!m_thrashes && verdict.jump > tolerance)
        verdict.kind = Kind::TileQuantised;
    else if (m_thrashes || fallsAtTheEnd(path))
        verdict.kind = Kind::MemoryThrashing;
    else if (verdict.doublingGain > tolerance)
        verdict.kind = Kind::LaunchBound;
    else
        verdict.kind = Kind::Saturated;
    return verdict;
}

double SpeedLimitFinder::overheadShare(Eigen::Index path, double seconds) const
{
    const CurveShape& shape = m_posterior.curves().shapes[static_cast<std::size_t>(path)];
    const auto theta = m_posterior.curves().theta.col(path);
    const bool isOneWave = shape.wave >= static_cast<double>(m_history.largestRun());
    return (theta[0] + (isOneWave ? theta[2] * shape.wave : 0.0)) / seconds;
}

double SpeedLimitFinder::doublingGain(Eigen::Index path, double overheadShare) const
{
    const double twice = 2.0 * m_size;
    if (twice <= static_cast<double>(m_posterior.largestFit(path))) {
        const double best = fastestWithin(m_posterior.sizes(), path, 1.5 * m_size, twice);
        return std::expm1(best - m_posterior.logSpeed()(m_best, path));
    }
    // (a + b m) / m over (a + 2 b m) / 2 m, where a is this share of a + b m.
    return overheadShare / (2.0 - overheadShare);
}

void SpeedLimitFinder::addTiles(Verdict& verdict, Eigen::Index path, double seconds) const
{
    const CurveShape& shape = m_posterior.curves().shapes[static_cast<std::size_t>(path)];
    const auto theta = m_posterior.curves().theta.col(path);
    if (shape.wave > 0.0 && shape.wave < static_cast<double>(m_history.largestRun())) {
        verdict.period = std::llround(shape.wave);
        verdict.jump = theta[2] * shape.wave / seconds;
    }
    // Where every trial was aligned the surcharge is a guess.
    if (const double misaligned = theta[3] * m_size / seconds;
        misaligned > verdict.jump && wasTriedOff(shape.alignment, m_history)) {
        verdict.period = shape.alignment;
        verdict.jump = misaligned;
    }
}

bool SpeedLimitFinder::fallsAtTheEnd(Eigen::Index path) const
{
    // The fastest of sizes that are merely drawn would be the luckiest draw.
    const std::vector<std::int64_t>& measured = m_posterior.measured();
    const auto limit = static_cast<double>(m_posterior.largestFit(path));
    const double atEnd = fastestWithin(measured, path, endShare * limit, limit);
    const double before = fastestWithin(measured, path, compareShare * limit, endShare * limit);
    return std::isfinite(atEnd) && before - atEnd > m_posterior.logTolerance();
}

/// ln of the samples/s of the fastest of these sizes in the half-open range; minus infinity where none is.
double SpeedLimitFinder::fastestWithin(const std::vector<std::int64_t>& sizes, Eigen::Index path,
                                       double above, double upTo) const
{
    double fastest = -std::numeric_limits<double>::infinity();
    for (auto size = std::ranges::upper_bound(sizes, above);
         size != sizes.end() && static_cast<double>(*size) <= upTo; ++size)
        fastest = std::max(fastest, m_posterior.logSpeed()(m_posterior.indexOf(*size), path));
    return fastest;
}

} // namespace batchpeak::search
