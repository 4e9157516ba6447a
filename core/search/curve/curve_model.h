// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve_trials.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace batchpeak::search {

/// The physical part of a step time, T(m) = theta . (1, m, W ceil(m / W), m if P does not divide m): launch
/// overhead, work per sample, whole waves of W samples, and a surcharge off multiples of P. theta >= 0.
///
/// W: "waves" of tiles over a GPU's multiprocessors. P: alignment of matrix products.
struct CurveShape
{
    /// Samples in a wave; 0 for a curve without.
    double wave = 0.0;
    std::int64_t alignment = 8;

    Eigen::Vector4d features(double size) const;
    bool operator==(const CurveShape&) const = default;
};

/// One way to explain the trials, and how well it does.
struct CurveModel
{
    CurveShape shape;
    CurveScales scales;
    /// Logarithm of evidence times prior, up to a constant that all models share.
    double logWeight = 0.0;
};

/// What theta is taken to be before any trial: independent normal, from the trials' own magnitudes.
struct ThetaPrior
{
    explicit ThetaPrior(const CurveTrials& trials);
    Eigen::Vector4d mean;
    Eigen::Vector4d deviation;
};

/// Every model worth keeping, with its weight: all scales without waves, the best of them with other
/// alignments, and from five trials on the best of those with each wave length that could be seen.
///
/// \param largestFit  largest size that may fit: longer waves than that are not seen
std::vector<CurveModel> weighCurveModels(const CurveTrials& trials, double largestFit);

} // namespace batchpeak::search
