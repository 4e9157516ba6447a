// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve_shape.h"
#include "curve_trials.h"

#include <vector>

namespace batchpeak::search {

/// One way to explain the trials, and how well it does.
struct CurveModel
{
    CurveShape shape;
    CurveScales scales;
    /// Logarithm of evidence times prior, up to a constant that all models share.
    double logWeight = 0.0;
};

/// Every model worth keeping, with its weight: all scales of the plain shape, the best of them with other
/// alignments, and from some trials on the best of those with each wave and each cliff that could be seen.
///
/// \param largestFit  largest size that may fit: longer waves than that are not seen
std::vector<CurveModel> weighCurveModels(const CurveTrials& trials, double largestFit);

} // namespace batchpeak::search
