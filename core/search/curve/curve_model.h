// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "observations.h"
#include "trend.h"

#include <vector>

namespace batchpeak::search {

/// One way to explain the trials: a trend and what the deviations from it are like, and how well it does.
struct CurveModel
{
    Trend trend;
    Hyperparameters hyperparameters;
    /// Logarithm of evidence times prior, up to a constant that all models share.
    double logWeight = 0.0;
};

/// The models that the curve is averaged over, each with its weight: the plain trend under all
/// hyper-parameters, the best of those with other alignments, and from some trials on the best with each wave
/// and each cliff that could be seen.
///
/// \param trials  are weighed against each other first, under what explains them best
/// \param largestFit  largest size that may fit: longer waves than that are not seen
std::vector<CurveModel> weighCurveModels(Observations& trials, double largestFit);

} // namespace batchpeak::search
