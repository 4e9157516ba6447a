// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace batchpeak::search {

struct Observations;

/// The trend of step times, their physical part: T(m) = theta . (1, m, s(m), m if P does not divide m), that
/// is, launch overhead, work per sample, steps, and a surcharge off multiples of P. The coefficients theta
/// are >= 0.
///
/// s(m): whole waves of W samples, W ceil(m / W), as tiles take over a GPU's multiprocessors; or a cliff: a
/// surcharge on every sample above some size (a cache overflows, an allocator thrashes) or up to one (a
/// faster kernel takes over). P: alignment of matrix products.
struct Trend
{
    /// Samples in a wave; 0 for a curve without.
    double wave = 0.0;
    /// The surcharge begins above this size; 0 where there is none.
    double riseAfter = 0.0;
    /// The surcharge ends at this size; 0 where there is none.
    double dropAfter = 0.0;
    /// 1 where all sizes are alike.
    std::int64_t alignment = 1;

    bool hasSteps() const { return wave > 0.0 || riseAfter > 0.0 || dropAfter > 0.0; }
    bool hasAlignment() const { return alignment > 1; }
    Eigen::Vector4d features(double size) const;
    bool operator==(const Trend&) const = default;
};

/// A trend and the logarithm of its probability before any trial, relative to the plain one's.
struct CandidateTrend
{
    Trend trend;
    double logPrior = 0.0;
};

/// No steps, and any alignment that the answer may have: first none, second the usual one of matrix products,
/// then powers of two, then every other number, since some sizes just go well with a device.
std::vector<CandidateTrend> alignedTrends(double largestFit);
/// Every wave that the trials could show; without alignment.
/// \param largestFit  largest size that may fit: longer waves than that are not seen
std::vector<CandidateTrend> waveTrends(const Observations& trials, double largestFit);
/// A cliff between two measured sizes, at the smaller of the two: where exactly, the trials cannot tell.
std::vector<CandidateTrend> cliffTrends(const Observations& trials, double largestFit);

/// The same trend with its cliff somewhere between that size and the next measured one.
/// \param share  of the way there, 0..1
Trend withCliffMoved(const Trend& trend, const Observations& trials, double share);

/// What the coefficients are taken to be before any trial: independent normal, from the trials' own
/// magnitudes, that of a rise from how far it seems to go.
struct CoefficientPrior
{
    CoefficientPrior(const Observations& trials, const Trend& trend);
    Eigen::Vector4d mean;
    Eigen::Vector4d deviation;
};

} // namespace batchpeak::search
