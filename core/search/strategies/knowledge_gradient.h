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

/// Determines which trial is most worth its time: the average drop in expected loss that its result brings,
/// per second that it costs. Knowledge gradient: Frazier, Powell and Dayanik, SIAM Journal on Control and
/// Optimization 47 (2008); per cost: arXiv 2003.10870.
///
/// It chooses among the sizes it is given. The strategy decides which of those may be tried at all.
class KnowledgeGradient
{
public:
    /// A comparison visits each size one or the other number of times.
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

    /// Returns sizes worth a trial: the recommended one and its rival, the best sizes of the paths, the
    /// largest one that may be tried, and some on the way there. In this order, each once.
    ///
    /// \param verified  the largest size that ran
    std::vector<std::int64_t> candidates(std::int64_t largestSafe, std::int64_t verified) const;

    /// \param sizes  at least one, of the posterior's grid
    Choice best(const std::vector<std::int64_t>& sizes) const;

    /// A comparison of sizes that have run, whose visits are interleaved: changes of the device's speed
    /// meanwhile cancel.
    struct Comparison
    {
        std::vector<std::int64_t> sizes;
        int visits = 0;
        int stepsPerVisit = 0;
        double score = 0.0;
    };
    /// \param sizes  the sizes that may be compared
    /// \return nothing if \p sizes does not contain the recommended size and another
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
