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

/// What the trials leave possible: joint draws of the step-time curve and of the largest size that fits.
/// The recommendation, its confidence and the next trial are all read off the same draws.
///
/// It measures what could be; which trial is worth its time is KnowledgeGradient's business.
class Posterior
{
public:
    Posterior(const SearchSpace& space, const CandidateSet& candidates, const TrialHistory& history,
              const MemoryModel& memory, RandomSource& random);

    /// Ascending.
    const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    Eigen::Index indexOf(std::int64_t size) const;
    bool contains(std::int64_t size) const { return std::ranges::binary_search(m_sizes, size); }
    /// The largest size of the grid that is not above; the smallest where there is none.
    Eigen::Index indexAtMost(std::int64_t size) const;
    Eigen::Index pathCount() const { return m_logSpeed.cols(); }

    /// ln(samples/s) of the micro-batch alone: a row for each size, a column for each path.
    const Eigen::MatrixXd& logSpeed() const { return m_logSpeed; }
    /// How far below the path's best allowed size that fits, in ln of what is maximized.
    double gap(Eigen::Index size, Eigen::Index path) const { return m_top[path] - objective(size, path); }
    double logTolerance() const { return m_logTolerance; }
    /// Whether the best size of the path is a larger one than the recommended, and faster by more than the
    /// tolerance.
    bool isLargerFaster(Eigen::Index path) const;
    std::int64_t largestFit(Eigen::Index path) const { return m_largestFit[static_cast<std::size_t>(path)]; }
    /// Index of each path's best size.
    Eigen::Index bestOf(Eigen::Index path) const { return m_best[static_cast<std::size_t>(path)]; }
    bool isAllowed(Eigen::Index size) const { return m_isAllowed[static_cast<std::size_t>(size)]; }

    /// Mean and standard deviation over the paths of logSpeed.
    double meanLogSpeed(Eigen::Index size) const { return m_mean[size]; }
    double deviation(Eigen::Index size) const { return m_deviation[size]; }
    /// ln of what is maximized [ln samples/s].
    double objective(Eigen::Index size, Eigen::Index path) const { return objective()(size, path); }
    /// Mean over the paths of objective.
    double meanObjective(Eigen::Index size) const { return objective().row(size).mean(); }
    /// Typical time of an optimizer step [s]; 0 where none was reported.
    double optimizerSeconds() const { return m_optimizerSeconds; }
    /// Relative standard deviation of a trial however many steps it has: from one to the next, and by the
    /// device's speed as far as it changes until the next trial.
    double trialDeviation() const;
    /// Relative variance of a size in a comparison, whose steps take so long [s], without what all its sizes
    /// have in common.
    double comparedVariance(double stepSeconds, int visits, int stepsPerVisit) const;
    const Observations& trials() const { return m_trials; }
    /// Without the curves themselves, which logSpeed() has.
    const SamplePaths& paths() const { return m_paths; }

    /// Good measured sizes that may be recommended, ascending: those that have run in this search, or, as
    /// long as none has, those that are recalled.
    const std::vector<std::int64_t>& measured() const { return m_measured; }
    /// Cost of a gap; never flat, since a loss that saturates stalls the search.
    double loss(double gap) const;
    double expectedLoss(std::int64_t size) const;
    double expectedRegret(std::int64_t size) const;
    /// Share of the paths in which the size is within the tolerance.
    double shareWithin(std::int64_t size) const;
    /// The measured size with the least expected loss, or a smaller one that cannot be told from it; 0 where
    /// none is measured.
    std::int64_t recommended() const { return m_recommended; }

    /// Believes the trials in flight: paths are kept as far as they agree with what these are expected to
    /// show, and their sizes count as measured.
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
    /// Of Objective::Effective; the other one is the speed itself.
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
