// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration.h"

#include "strategy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchpeak::search {

namespace {

constexpr CalibrationTerms weights{1.080, 0.594, 0.545, -0.480};

/// Paths that nothing contradicts yet count in full in a mean, however wild they are. This share of the mean
/// was lost on average in searches in every world.
constexpr double lossShare = 0.8;

constexpr double defaultTolerance = 0.02;
constexpr double minShare = 0.0025;
/// Weight of the newest share, in logits. Of .35 to 1, this value gives the truest interim confidences in
/// restless worlds, and ends calm searches no later.
constexpr double newestWeight = 0.6;

double logitOf(double share)
{
    const double possible = std::clamp(share, minShare, 1.0 - minShare);
    return std::log(possible / (1.0 - possible));
}

double logistic(double logit)
{
    return 1.0 / (1.0 + std::exp(-logit));
}

} // namespace

double steadied(double share, std::optional<double> before)
{
    if (!before)
        return share;
    return logistic(newestWeight * logitOf(share) + (1.0 - newestWeight) * logitOf(*before));
}

double steadiedLike(double share, double bare, double steadied)
{
    return logistic(logitOf(share) + logitOf(steadied) - logitOf(bare));
}

CalibrationTerms calibrationTerms(const CalibrationCase& situation)
{
    return {1.0, logitOf(situation.share), std::log(situation.tolerance / defaultTolerance),
            situation.severalDevices ? 1.0 : 0.0};
}

CalibrationTerms calibrationWeights()
{
    return weights;
}

double calibratedProbability(const CalibrationCase& situation)
{
    const CalibrationTerms terms = calibrationTerms(situation);
    return logistic(std::inner_product(terms.begin(), terms.end(), weights.begin(), 0.0));
}

double calibratedLoss(double meanOverPaths)
{
    return lossShare * meanOverPaths;
}

int confidencePercent(double probability)
{
    return static_cast<int>(std::clamp(std::round(100.0 * probability), 1.0, 100.0 * maxConfidence));
}

} // namespace batchpeak::search
