// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "posterior.h"

#include "candidate_set.h"
#include "memory/memory_model.h"
#include "random_source.h"
#include "throughput.h"
#include "trial_history.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace batchpeak::search {

namespace {

/// Above this multiple of the largest size that ran, no trial is allowed yet, and a coarse grid suffices.
constexpr std::int64_t fineRatio = 16;

// A loss in ln(samples/s) counts in full up to 12 % and less beyond, so that one wild draw does not decide.
// Leaving the tolerance has an additional cost.
constexpr double steepLoss = 0.12;
constexpr double flatSlope = 0.2;
constexpr double toleranceLoss = 0.03;

/// Sizes whose expected samples/s differ by less than this cannot be told apart, and the smaller one leaves
/// more memory.
constexpr double indistinguishable = 0.002;

/// Share of the variance of a slowly changing speed that trials close in time do not have in common.
constexpr double slowSpeedShare = 0.25;

/// Uncertainty of the result of a trial in flight, as a share of the curve's deviation there.
constexpr double beliefShare = 0.15;

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

void addSizesOfSpread(std::vector<std::int64_t>& sizes, std::int64_t batch)
{
    const std::vector<std::int64_t> plain = sizes;
    for (const std::int64_t size : plain) {
        const auto spread = accumulation::evenSpread(batch, size);
        sizes.push_back(spread.size);
        if (spread.ofOneMore > 0)
            sizes.push_back(spread.size + 1);
    }
}

std::vector<std::int64_t> gridOf(const SearchSpace& space, const CandidateSet& candidates,
                                 const TrialHistory& history, const MemoryModel& memory)
{
    std::vector<std::int64_t> sizes =
        candidates.grid(std::ranges::max(memory.largestFits()), fineRatio * history.largestRun());
    for (const Measurement& trial : history.timed())
        sizes.push_back(trial.size);
    if (space.objective == Objective::Effective)
        addSizesOfSpread(sizes, space.perDeviceBatch);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

} // namespace

Posterior::Posterior(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
                     const MemoryModel& memory, RandomSource& random)
    : m_space(&space),
      m_candidates(&candidates),
      m_trials(history.timed()),
      m_optimizerSeconds(medianOptimizerSeconds(history.timed())),
      m_logTolerance(-std::log1p(-space.tolerance)),
      m_sizes(gridOf(space, candidates, history, memory)),
      m_largestFit(memory.largestFits()),
      m_measured(history.goodSizes())
{
    for (const std::int64_t size : m_sizes)
        m_isAllowed.push_back(candidates.contains(size) && !history.hasFailed(size));
    // A size that was measured on another day can be recommended again once it has run today.
    const bool hasOfNow =
        std::ranges::any_of(m_measured, [&](std::int64_t size) { return history.hasRunNow(size); });
    std::erase_if(m_measured, [&](std::int64_t size) {
        return !candidates.contains(size) || (hasOfNow && !history.hasRunNow(size));
    });

    const auto largest = static_cast<double>(std::ranges::max(m_largestFit));
    const std::vector<CurveModel> models = weighCurveModels(m_trials, largest);
    m_paths = drawSamplePaths(m_trials, models, m_sizes, static_cast<int>(m_largestFit.size()), random);
    holdBeyondTrials(m_paths, m_trials, m_sizes);
    Eigen::VectorXd logSize(static_cast<Eigen::Index>(m_sizes.size()));
    for (Eigen::Index i = 0; i < logSize.size(); ++i)
        logSize[i] = std::log(static_cast<double>(m_sizes[static_cast<std::size_t>(i)]));
    // In place, since these matrices take megabytes.
    m_logSpeed = std::move(m_paths.logSeconds);
    m_logSpeed = (-m_logSpeed).colwise() + logSize;
    if (space.objective == Objective::Effective)
        computeEffectiveObjective();
    findBest();
}

void Posterior::computeEffectiveObjective()
{
    const Throughput throughput(*m_space, m_optimizerSeconds);
    m_effective.resize(m_logSpeed.rows(), m_logSpeed.cols());
    std::vector<double> seconds(m_sizes.size());
    for (Eigen::Index path = 0; path < m_logSpeed.cols(); ++path) {
        for (std::size_t i = 0; i < seconds.size(); ++i)
            seconds[i] =
                static_cast<double>(m_sizes[i]) / std::exp(m_logSpeed(static_cast<Eigen::Index>(i), path));
        const auto secondsAt = [&](std::int64_t size) { return interpolatedSeconds(m_sizes, seconds, size); };
        for (Eigen::Index i = 0; i < m_logSpeed.rows(); ++i) {
            const std::int64_t size = m_sizes[static_cast<std::size_t>(i)];
            m_effective(i, path) = std::log(throughput.samplesPerSecond(size, secondsAt));
        }
    }
}

Eigen::Index Posterior::indexOf(std::int64_t size) const
{
    return std::ranges::lower_bound(m_sizes, size) - m_sizes.begin();
}

Eigen::Index Posterior::indexAtMost(std::int64_t size) const
{
    const auto above = std::ranges::upper_bound(m_sizes, size);
    return above == m_sizes.begin() ? 0 : above - m_sizes.begin() - 1;
}

bool Posterior::isLargerFaster(Eigen::Index path) const
{
    const Eigen::Index recommended = indexOf(m_recommended);
    return bestOf(path) > recommended && gap(recommended, path) > m_logTolerance;
}

double Posterior::trialDeviation() const
{
    double variance = 0.0;
    for (const Hyperparameters& scale : m_paths.scales) {
        const double seen = scale.speedTime == speedTimes[0] ? 1.0 : slowSpeedShare;
        variance += scale.trial * scale.trial + seen * scale.speed * scale.speed;
    }
    return std::sqrt(variance / static_cast<double>(m_paths.scales.size()));
}

double Posterior::comparedVariance(double stepSeconds, int visits, int stepsPerVisit) const
{
    const double seconds = (1.0 + stepsPerVisit) * stepSeconds;
    double ofVisit = 0.0;
    for (const Hyperparameters& scale : m_paths.scales)
        ofVisit +=
            scale.trial * scale.trial - scale.speed * scale.speed * std::expm1(-seconds / scale.speedTime);
    ofVisit /= static_cast<double>(m_paths.scales.size());
    const double steps = m_trials.noise.standardErrorAt(stepSeconds, visits * stepsPerVisit);
    return steps * steps + ofVisit / visits;
}

double Posterior::loss(double gap) const
{
    const double size = gap < steepLoss ? gap : steepLoss + flatSlope * (gap - steepLoss);
    return size + (gap > m_logTolerance ? toleranceLoss : 0.0);
}

double Posterior::expectedLoss(std::int64_t size) const
{
    const Eigen::Index index = indexOf(size);
    double sum = 0.0;
    for (Eigen::Index path = 0; path < pathCount(); ++path)
        sum += loss(gap(index, path));
    return sum / static_cast<double>(pathCount());
}

double Posterior::expectedRegret(std::int64_t size) const
{
    return (m_top - objective().row(indexOf(size)).transpose()).mean();
}

double Posterior::shareWithin(std::int64_t size) const
{
    const Eigen::Index index = indexOf(size);
    Eigen::Index within = 0;
    for (Eigen::Index path = 0; path < pathCount(); ++path)
        within += gap(index, path) <= m_logTolerance ? 1 : 0;
    return static_cast<double>(within) / static_cast<double>(pathCount());
}

void Posterior::findBest()
{
    const Eigen::Index paths = pathCount();
    m_top = Eigen::VectorXd::Constant(paths, -std::numeric_limits<double>::infinity());
    m_best.assign(static_cast<std::size_t>(paths), 0);
    for (Eigen::Index path = 0; path < paths; ++path) {
        const Eigen::Index end = indexAtMost(largestFit(path)) + 1;
        for (Eigen::Index i = 0; i < end; ++i) {
            if (isAllowed(i) && objective(i, path) > m_top[path]) {
                m_top[path] = objective(i, path);
                m_best[static_cast<std::size_t>(path)] = i;
            }
        }
    }
    m_mean = m_logSpeed.rowwise().mean();
    m_deviation = ((m_logSpeed.colwise() - m_mean).array().square().rowwise().mean()).sqrt();
    chooseRecommended();
}

void Posterior::chooseRecommended()
{
    m_recommended = 0;
    double min = std::numeric_limits<double>::infinity();
    for (const std::int64_t size : m_measured) {
        if (const double loss = expectedLoss(size); loss < min) {
            min = loss;
            m_recommended = size;
        }
    }
    // In ascending order, the first one that is as good is the smallest.
    const double regret = m_recommended > 0 ? expectedRegret(m_recommended) : 0.0;
    for (const std::int64_t size : m_measured) {
        if (size < m_recommended && expectedRegret(size) - regret < indistinguishable) {
            m_recommended = size;
            break;
        }
    }
}

void Posterior::believe(std::span<const std::int64_t> inFlight, RandomSource& random)
{
    if (inFlight.empty())
        return;
    std::vector<double> logWeights(static_cast<std::size_t>(pathCount()), 0.0);
    for (const std::int64_t size : inFlight) {
        const Eigen::Index index = indexAtMost(size);
        const double seconds = static_cast<double>(size) / std::exp(m_mean[index]);
        const double deviation = std::hypot(m_trials.noise.standardErrorAt(seconds, 5.0), trialDeviation(),
                                            beliefShare * m_deviation[index]);
        for (Eigen::Index path = 0; path < pathCount(); ++path) {
            double& logWeight = logWeights[static_cast<std::size_t>(path)];
            const double distance = (m_logSpeed(index, path) - m_mean[index]) / deviation;
            logWeight -=
                size > largestFit(path) ? std::numeric_limits<double>::infinity() : 0.5 * distance * distance;
        }
    }
    if (std::ranges::max(logWeights) == -std::numeric_limits<double>::infinity())
        return;
    const std::vector<std::size_t> kept =
        resampleSystematically(logWeights, static_cast<int>(logWeights.size()), random);
    const Eigen::MatrixXd logSpeed = m_logSpeed;
    const Eigen::MatrixXd effective = m_effective;
    const std::vector<std::int64_t> largestFit = m_largestFit;
    for (std::size_t path = 0; path < kept.size(); ++path) {
        const auto to = static_cast<Eigen::Index>(path);
        const auto from = static_cast<Eigen::Index>(kept[path]);
        m_logSpeed.col(to) = logSpeed.col(from);
        if (effective.size() > 0)
            m_effective.col(to) = effective.col(from);
        m_largestFit[path] = largestFit[kept[path]];
    }
    for (const std::int64_t size : inFlight) {
        if (m_candidates->contains(size) && !std::ranges::binary_search(m_measured, size) &&
            m_sizes[static_cast<std::size_t>(indexAtMost(size))] == size)
            m_measured.insert(std::ranges::upper_bound(m_measured, size), size);
    }
    findBest();
}

} // namespace batchpeak::search
