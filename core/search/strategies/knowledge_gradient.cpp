// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "knowledge_gradient.h"

#include "random_source.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace batchpeak::search {

namespace {

/// Number of draws. They are the same for every size, so that the comparison is of sizes and not of luck.
constexpr int drawCount = 32;
/// Number of measured sizes that may be recommended after the trial.
constexpr std::size_t recommendable = 10;
constexpr std::size_t maxFromPaths = 16;
/// Sizes closer than 0.3 % teach the same.
constexpr double nodeLikeness = 0.003;
/// Share of a size's deviation that one trial cannot tell from the size's neighbors.
constexpr double modelShare = 0.12;
constexpr double minNodeWeight = 1e-12;
/// Random errors make the smallest gains negative; their order still counts.
constexpr double negativeGain = 0.001;

constexpr int trialsBeforeLengths = 5;
constexpr int shortSteps = 3;
/// Steps noisier than the first are worth timing for longer, steps quieter than the second for less long.
constexpr double noisyStep = 0.015;
constexpr double quietStep = 0.012;

} // namespace

KnowledgeGradient::KnowledgeGradient(const Posterior& posterior, const TrialCost& cost, int trials,
                                     RandomSource& random)
    : m_posterior(posterior), m_cost(cost), m_trials(trials)
{
    for (int draw = 0; draw < drawCount; ++draw) {
        const auto path =
            static_cast<Eigen::Index>(random.uniform() * static_cast<double>(posterior.pathCount()));
        m_draws.push_back({.path = path, .normal = random.normal()});
        for (double& normal : m_draws.back().normals)
            normal = random.normal();
    }
    std::vector<std::int64_t> measured = posterior.measured();
    std::ranges::stable_sort(measured, [&](std::int64_t a, std::int64_t b) {
        return posterior.meanLogSpeed(posterior.indexOf(a)) > posterior.meanLogSpeed(posterior.indexOf(b));
    });
    measured.resize(std::min(measured.size(), recommendable));
    m_losses.resize(static_cast<Eigen::Index>(measured.size()), posterior.pathCount());
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const Eigen::Index index = posterior.indexOf(measured[i]);
        for (Eigen::Index path = 0; path < posterior.pathCount(); ++path)
            m_losses(static_cast<Eigen::Index>(i), path) = posterior.loss(posterior.gap(index, path));
    }
    m_presentLoss = posterior.recommended() > 0 ? posterior.expectedLoss(posterior.recommended()) : 0.0;
}

std::vector<std::int64_t> KnowledgeGradient::candidates(std::int64_t largestSafe, std::int64_t verified) const
{
    const std::vector<std::int64_t>& sizes = m_posterior.sizes();
    std::vector<std::int64_t> chosen;
    const auto add = [&](std::int64_t size) {
        const bool isNew = std::ranges::none_of(chosen, [&](std::int64_t other) {
            return std::abs(std::log(static_cast<double>(size) / static_cast<double>(other))) < nodeLikeness;
        });
        if (size >= 1 && isNew)
            chosen.push_back(size);
    };
    const auto addAtMost = [&](double size) {
        // Only allowed sizes teach something about the answer.
        for (Eigen::Index i = m_posterior.indexAtMost(static_cast<std::int64_t>(size)); i >= 0; --i) {
            if (m_posterior.isAllowed(i)) {
                add(sizes[static_cast<std::size_t>(i)]);
                return;
            }
        }
    };

    const std::int64_t recommended = m_posterior.recommended();
    add(recommended);
    std::int64_t rival = 0;
    double best = -HUGE_VAL;
    for (const std::int64_t size : m_posterior.measured()) {
        if (const double speed = m_posterior.meanLogSpeed(m_posterior.indexOf(size));
            size != recommended && speed > best) {
            best = speed;
            rival = size;
        }
    }
    if (rival > 0)
        add(rival);

    std::map<Eigen::Index, int> wins;
    const Eigen::Index recommendedIndex = m_posterior.indexOf(recommended);
    for (Eigen::Index path = 0; path < m_posterior.pathCount(); ++path) {
        if (m_posterior.gap(recommendedIndex, path) > m_posterior.logTolerance())
            ++wins[m_posterior.bestOf(path)];
    }
    std::vector<std::pair<Eigen::Index, int>> byWins(wins.begin(), wins.end());
    std::ranges::stable_sort(byWins, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [index, count] : byWins) {
        if (chosen.size() >= maxFromPaths)
            break;
        add(sizes[static_cast<std::size_t>(index)]);
    }

    for (const double share : {1.0, 0.35, 0.6, 0.8, 0.93})
        addAtMost(share * static_cast<double>(largestSafe));
    for (const double factor : {16.0, 4.0, 8.0})
        addAtMost(factor * static_cast<double>(verified));
    return chosen;
}

KnowledgeGradient::Choice KnowledgeGradient::best(const std::vector<std::int64_t>& sizes) const
{
    Choice choice{.size = sizes.front(), .score = -HUGE_VAL};
    for (const std::int64_t size : sizes) {
        const Eigen::Index index = m_posterior.indexOf(size);
        const double seconds = static_cast<double>(size) / std::exp(m_posterior.meanLogSpeed(index));
        const double pooled = m_posterior.trials().noise.pooledDeviation(seconds);
        const bool isMeasured = std::ranges::binary_search(m_posterior.measured(), size);
        const TrialCost::Length normal = stepsOf(Length::Normal, seconds);

        std::vector<Length> lengths{Length::Normal};
        if (m_trials >= trialsBeforeLengths && (isMeasured || pooled > noisyStep))
            lengths.push_back(Length::Long);
        if (m_trials >= trialsBeforeLengths && !isMeasured && pooled < quietStep &&
            normal.stepsAt(seconds) == TrialCost::Length{}.minSteps)
            lengths.push_back(Length::Short);
        for (const Length length : lengths) {
            const TrialCost::Length steps = stepsOf(length, seconds);
            const double error =
                std::hypot(m_posterior.trials().noise.standardErrorAt(seconds, steps.stepsAt(seconds)),
                           m_posterior.trialDeviation());
            const double deviation = std::hypot(error, modelShare * m_posterior.deviation(index));
            double gain = m_presentLoss - expectedLossAfter(index, deviation);
            if (gain < 0.0)
                gain *= negativeGain;
            const double score = gain / m_cost.predictedWallSeconds(seconds, steps);
            if (score > choice.score)
                choice = {.size = size, .length = length, .score = score};
        }
    }
    return choice;
}

std::optional<KnowledgeGradient::Comparison>
KnowledgeGradient::bestComparison(std::span<const std::int64_t> sizes) const
{
    const std::int64_t recommended = m_posterior.recommended();
    if (std::ranges::find(sizes, recommended) == sizes.end())
        return std::nullopt;
    // The sizes that are most often the best of these, which are to be told apart.
    std::vector<int> wins(sizes.size());
    for (Eigen::Index path = 0; path < m_posterior.pathCount(); ++path) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < sizes.size(); ++i) {
            if (m_posterior.objective(m_posterior.indexOf(sizes[i]), path) >
                m_posterior.objective(m_posterior.indexOf(sizes[best]), path))
                best = i;
        }
        ++wins[best];
    }
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return wins[i]; });

    std::optional<Comparison> best;
    Comparison comparison{.sizes = {recommended}, .stepsPerVisit = stepsPerVisit};
    for (const std::size_t i : order) {
        if (sizes[i] == recommended || wins[i] == 0)
            continue;
        if (comparison.sizes.size() == trial::maxComparedSizes)
            break;
        comparison.sizes.push_back(sizes[i]);
        std::vector<double> seconds;
        for (const std::int64_t size : comparison.sizes)
            seconds.push_back(stepSeconds(size));
        for (const int visits : {fewestVisits, maxVisits}) {
            comparison.visits = visits;
            double gain = m_presentLoss - expectedLossAfter(comparison);
            if (gain < 0.0)
                gain *= negativeGain;
            comparison.score = gain / m_cost.comparisonSeconds(seconds, visits, stepsPerVisit);
            if (!best || comparison.score > best->score)
                best = comparison;
        }
    }
    return best;
}

double KnowledgeGradient::stepSeconds(std::int64_t size) const
{
    return static_cast<double>(size) / std::exp(m_posterior.meanLogSpeed(m_posterior.indexOf(size)));
}

double KnowledgeGradient::expectedLossAfter(const Comparison& comparison) const
{
    const Eigen::Index paths = m_posterior.pathCount();
    const auto count = static_cast<Eigen::Index>(comparison.sizes.size());
    Eigen::MatrixXd speed(count, paths);
    Eigen::ArrayXd variance(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const std::int64_t size = comparison.sizes[static_cast<std::size_t>(i)];
        speed.row(i) = m_posterior.logSpeed().row(m_posterior.indexOf(size));
        variance[i] =
            m_posterior.comparedVariance(stepSeconds(size), comparison.visits, comparison.stepsPerVisit);
    }
    const Eigen::ArrayXd precision = variance.inverse();
    double sum = 0.0;
    Eigen::VectorXd weights(paths);
    for (const Draw& draw : m_draws) {
        Eigen::ArrayXd seen = speed.col(draw.path).array();
        for (Eigen::Index i = 0; i < count; ++i)
            seen[i] += std::sqrt(variance[i]) * draw.normals.at(static_cast<std::size_t>(i));
        for (Eigen::Index path = 0; path < paths; ++path) {
            // The effect of the device meanwhile is common to all sizes, and says nothing.
            const Eigen::ArrayXd residual = seen - speed.col(path).array();
            const double common = (residual * precision).sum() / precision.sum();
            weights[path] = std::exp(-0.5 * ((residual - common).square() * precision).sum());
        }
        const double total = weights.sum();
        sum += total < minNodeWeight ? m_presentLoss : (m_losses * weights).minCoeff() / total;
    }
    return sum / static_cast<double>(m_draws.size());
}

TrialCost::Length KnowledgeGradient::stepsOf(Length length, double stepSeconds)
{
    TrialCost::Length steps = TrialCost::length(stepSeconds, length == Length::Long);
    if (length == Length::Short)
        steps = {.minSteps = shortSteps, .maxSteps = shortSteps, .minSeconds = 0.0};
    return steps;
}

double KnowledgeGradient::expectedLossAfter(Eigen::Index size, double deviation) const
{
    const Eigen::Index paths = m_posterior.pathCount();
    const std::int64_t samples = m_posterior.sizes()[static_cast<std::size_t>(size)];
    Eigen::VectorXd speed = m_posterior.logSpeed().row(size).transpose();
    Eigen::VectorXd ownLoss(paths);
    Eigen::Array<bool, Eigen::Dynamic, 1> fits(paths);
    for (Eigen::Index path = 0; path < paths; ++path) {
        fits[path] = samples <= m_posterior.largestFit(path);
        ownLoss[path] = m_posterior.loss(m_posterior.gap(size, path));
    }
    double sum = 0.0;
    Eigen::VectorXd weights(paths);
    for (const Draw& draw : m_draws) {
        const bool runs = fits[draw.path];
        if (runs) {
            const double seen = speed[draw.path] + deviation * draw.normal;
            weights =
                fits.select((-(speed.array() - seen).square() / (2.0 * deviation * deviation)).exp(), 0.0);
        } else {
            weights = fits.select(Eigen::ArrayXd::Zero(paths), 1.0);
        }
        const double total = weights.sum();
        if (total < minNodeWeight) {
            sum += m_presentLoss;
            continue;
        }
        double min = m_losses.rows() > 0 ? (m_losses * weights).minCoeff() : HUGE_VAL;
        if (runs && m_posterior.isAllowed(size))
            min = std::min(min, ownLoss.dot(weights));
        sum += min / total;
    }
    return sum / static_cast<double>(m_draws.size());
}

} // namespace batchpeak::search
