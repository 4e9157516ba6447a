// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "continuation_estimate.h"

#include "curve/posterior.h"
#include "knowledge_gradient.h"
#include "posterior_summary.h"
#include "trial_cost.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

namespace {

// The longest comparisons that a search makes.
constexpr int visits = KnowledgeGradient::maxVisits;
constexpr int stepsPerVisit = KnowledgeGradient::stepsPerVisit;
/// Number of standard deviations of the difference that a lead of the tolerance is to be.
constexpr double deviationsOfTolerance = 2.0;

/// Returns the variance of the difference of two sizes over the paths.
double presentVariance(const Posterior& posterior, std::int64_t size, std::int64_t rival)
{
    const auto difference = (posterior.logSpeed().row(posterior.indexOf(rival)) -
                             posterior.logSpeed().row(posterior.indexOf(size)))
                                .array()
                                .eval();
    return (difference - difference.mean()).square().mean();
}

} // namespace

std::optional<ContinuationEstimate> continuationOf(const Posterior& posterior,
                                                   const PosteriorSummary& summary, const TrialCost& cost)
{
    if (summary.best == 0 || summary.rivals.empty())
        return std::nullopt;
    const PosteriorSummary::Rival& rival = summary.rivals.front();
    const double seconds[] = {summary.stepSecondsAt(summary.best), summary.stepSecondsAt(rival.size)};
    const double wanted = std::pow(posterior.logTolerance() / deviationsOfTolerance, -2.0);
    const double known = 1.0 / presentVariance(posterior, summary.best, rival.size);
    const double ofComparison = posterior.comparedVariance(seconds[0], visits, stepsPerVisit) +
                                posterior.comparedVariance(seconds[1], visits, stepsPerVisit);
    const double comparisons = std::max(1.0, std::ceil((wanted - known) * ofComparison));
    const double doubt = 1.0 - posterior.shareWithin(summary.best);
    const double rivals = std::max(1.0, doubt / rival.probability);
    return ContinuationEstimate{.size = summary.best,
                                .rival = rival.size,
                                .seconds = rivals * comparisons *
                                           cost.comparisonSeconds(seconds, visits, stepsPerVisit),
                                .gain = summary.expectedLoss,
                                .maxGain = summary.maxLoss};
}

} // namespace batchpeak::search
