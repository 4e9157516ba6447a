// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve/posterior.h"
#include "trial_cost.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::search {

/// Which trial is worth its time most: the drop in expected loss that its result brings on average, per
/// second that it costs. Knowledge gradient: Frazier, Powell and Dayanik, SIAM Journal on Control and
/// Optimization 47 (2008); per cost: arXiv 2003.10870.
///
/// It picks among the sizes it is given. Which of those may be tried at all is the strategy's business.
class KnowledgeGradient
{
public:
    /// Of each size in a comparison: as many visits as one or the other of these.
    static constexpr int fewestVisits = 4;
    static constexpr int maxVisits = 8;
    static constexpr int stepsPerVisit = 3;

    enum class Length { Normal, Long, Short };
    struct Choice
    {
        std::int64_t size = 0;
        Length length = Length::Normal;
        /// Expected drop of the loss per second.
        double score = 0.0;
    };

    KnowledgeGradient(const Posterior& posterior, const TrialCost& cost, int trials, RandomSource& random);

    /// Sizes worth asking about: the recommended one and its rival, where paths have their best, the largest
    /// that may be tried, and some on the way there. The first named first, none twice.
    ///
    /// \param verified  the largest that ran
    std::vector<std::int64_t> candidates(std::int64_t largestSafe, std::int64_t verified) const;

    /// \param sizes  at least one, of the posterior's grid
    Choice best(const std::vector<std::int64_t>& sizes) const;

    /// Sizes that have run, compared in turn: what the device's speed does meanwhile cancels.
    struct Comparison
    {
        std::vector<std::int64_t> sizes;
        int visits = 0;
        int stepsPerVisit = 0;
        double score = 0.0;
    };
    /// \param sizes  that may be compared; nothing where the recommended one and another are not among them
    std::optional<Comparison> bestComparison(std::span<const std::int64_t> sizes) const;

    static TrialCost::Length stepsOf(Length length, double stepSeconds);

private:
    struct Draw
    {
        Eigen::Index path = 0;
        double normal = 0.0;
        std::array<double, trial::maxComparedSizes> normals{};
    };
    double stepSeconds(std::int64_t size) const;
    double expectedLossAfter(Eigen::Index size, double deviation) const;
    double expectedLossAfter(const Comparison& comparison) const;

    const Posterior& m_posterior;
    const TrialCost& m_cost;
    int m_trials;
    std::vector<Draw> m_draws;
    /// Loss of each path (columns) if one of the likeliest measured sizes (rows) is recommended.
    Eigen::MatrixXd m_losses;
    double m_presentLoss = 0.0;
};

} // namespace batchpeak::search
