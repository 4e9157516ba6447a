// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sample_paths.h"
#include "strategy.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

class CandidateSet;
class MemoryModel;
class RandomSource;
class TrialHistory;

/// What remains possible after the trials: joint draws of the step-time curve and of the largest size that
/// fits. The recommendation, its confidence and the next trial are all based on the same draws.
///
/// It states what could be; KnowledgeGradient decides which trial is worth its time.
class Posterior
{
public:
    Posterior(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
              const MemoryModel& memory, RandomSource& random);

    /// Ascending.
    const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    Eigen::Index indexOf(std::int64_t size) const;
    bool contains(std::int64_t size) const { return std::ranges::binary_search(m_sizes, size); }
    /// Returns the index of the largest size of the grid that is not above \p size; of the smallest if there
    /// is none.
    Eigen::Index indexAtMost(std::int64_t size) const;
    Eigen::Index pathCount() const { return m_logSpeed.cols(); }

    /// ln(samples/s) of the micro-batch alone, with one row per size and one column per path.
    const Eigen::MatrixXd& logSpeed() const { return m_logSpeed; }
    /// Returns how far the size is below the path's best allowed size that fits, in ln of what is maximized.
    double gap(Eigen::Index size, Eigen::Index path) const { return m_top[path] - objective(size, path); }
    double logTolerance() const { return m_logTolerance; }
    /// Whether the best size of the path is larger than the recommended one, and faster by more than the
    /// tolerance.
    bool isLargerFaster(Eigen::Index path) const;
    std::int64_t largestFit(Eigen::Index path) const { return m_largestFit[static_cast<std::size_t>(path)]; }
    /// Returns the index of the path's best size.
    Eigen::Index bestOf(Eigen::Index path) const { return m_best[static_cast<std::size_t>(path)]; }
    bool isAllowed(Eigen::Index size) const { return m_isAllowed[static_cast<std::size_t>(size)]; }

    /// Mean and standard deviation of logSpeed over the paths.
    double meanLogSpeed(Eigen::Index size) const { return m_mean[size]; }
    double deviation(Eigen::Index size) const { return m_deviation[size]; }
    /// Returns ln of what is maximized [ln samples/s].
    double objective(Eigen::Index size, Eigen::Index path) const { return objective()(size, path); }
    /// Returns the mean of objective over the paths.
    double meanObjective(Eigen::Index size) const { return objective().row(size).mean(); }
    /// Typical time of an optimizer step [s]; 0 if none was reported.
    double optimizerSeconds() const { return m_optimizerSeconds; }
    /// Returns the relative standard deviation of a trial with any number of steps: from one trial to the
    /// next, plus the changes of the device's speed until the next trial.
    double trialDeviation() const;
    /// Returns the relative variance of a size in a comparison, given the time of its steps [s], without what
    /// all sizes of the comparison have in common.
    double comparedVariance(double stepSeconds, int visits, int stepsPerVisit) const;
    const Observations& trials() const { return m_trials; }
    /// The paths without the curves themselves, which logSpeed() contains.
    const SamplePaths& paths() const { return m_paths; }

    /// Good measured sizes that may be recommended, ascending: those that have run in this search or, as long
    /// as none has, the recalled ones.
    const std::vector<std::int64_t>& measured() const { return m_measured; }
    /// Returns the cost of a gap. It is never flat, since a loss that saturates stalls the search.
    double loss(double gap) const;
    double expectedLoss(std::int64_t size) const;
    double expectedRegret(std::int64_t size) const;
    /// Returns the share of the paths in which the size is within the tolerance.
    double shareWithin(std::int64_t size) const;
    /// The measured size with the least expected loss, or a smaller one that cannot be told apart from it; 0
    /// if none is measured.
    std::int64_t recommended() const { return m_recommended; }

    /// Takes the trials in flight as done: keeps paths as far as they agree with the expected results of
    /// these trials, and counts their sizes as measured.
    void believe(std::span<const std::int64_t> inFlight, RandomSource& random);

private:
    const Eigen::MatrixXd& objective() const { return m_effective.size() > 0 ? m_effective : m_logSpeed; }
    void computeEffectiveObjective();
    void findBest();
    void chooseRecommended();

    const SearchSpace* m_space;
    const CandidateSet* m_candidates;
    Observations m_trials;
    double m_optimizerSeconds = 0.0;
    double m_logTolerance;
    std::vector<std::int64_t> m_sizes;
    std::vector<bool> m_isAllowed;
    SamplePaths m_paths;
    Eigen::MatrixXd m_logSpeed;
    /// The values for Objective::Effective; for the other objective, logSpeed is the objective.
    Eigen::MatrixXd m_effective;
    std::vector<std::int64_t> m_largestFit;
    Eigen::VectorXd m_top;
    std::vector<Eigen::Index> m_best;
    Eigen::VectorXd m_mean;
    Eigen::VectorXd m_deviation;
    std::vector<std::int64_t> m_measured;
    std::int64_t m_recommended = 0;
};

} // namespace batchpeak::search
