// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "observations.h"
#include "trend.h"

#include <vector>

namespace batchpeak::search {

/// One explanation of the trials: a trend, the properties of the deviations from it, and how well it explains
/// the trials.
struct CurveModel
{
    Trend trend;
    Hyperparameters hyperparameters;
    /// Logarithm of evidence times prior, up to a constant that all models share.
    double logWeight = 0.0;
};

/// Returns the models that the curve is averaged over, each with its weight: the plain trend under all
/// hyper-parameters, the best of those with other alignments and, once there are enough trials, the best with
/// each wave and each cliff that could be seen.
///
/// \param trials  the trials; they are first weighted against each other, under the model that explains them
///        best
/// \param largestFit  largest size that may fit: longer waves than that cannot be seen
std::vector<CurveModel> weighCurveModels(Observations& trials, double largestFit);

} // namespace batchpeak::search
