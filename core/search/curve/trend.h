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
/// s(m) is one of two things. Whole waves of W samples, W ceil(m / W), as tiles fill a GPU's multiprocessors.
/// Or a cliff: a surcharge on every sample above some size (a cache overflows, an allocator thrashes) or up
/// to one (a faster kernel takes over). P is the alignment of matrix products.
struct Trend
{
    /// Samples in a wave; 0 for a curve without waves.
    double wave = 0.0;
    /// The surcharge begins above this size; 0 if there is none.
    double riseAfter = 0.0;
    /// The surcharge ends at this size; 0 if there is none.
    double dropAfter = 0.0;
    /// 1 if alignment makes no difference.
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

/// Returns the trends without steps, with any alignment that the answer may have: first none, second the
/// default one of matrix products, then powers of two, then every other number, since some sizes happen to
/// suit a device.
std::vector<CandidateTrend> alignedTrends(double largestFit);
/// Returns the trends with every wave that the trials could show; without alignment.
/// \param largestFit  largest size that may fit: longer waves than that cannot be seen
std::vector<CandidateTrend> waveTrends(const Observations& trials, double largestFit);
/// Returns the trends with a cliff between two measured sizes, placed at the smaller of the two: the trials
/// cannot tell the exact place.
std::vector<CandidateTrend> cliffTrends(const Observations& trials, double largestFit);

/// Returns the same trend with its cliff somewhere between that size and the next measured one.
/// \param share  share of the distance to it, 0..1
Trend withCliffMoved(const Trend& trend, const Observations& trials, double share);

/// The prior of the coefficients: independent normal distributions, scaled by the magnitudes of the trials;
/// that of a rise is scaled by how high it seems to be.
struct CoefficientPrior
{
    CoefficientPrior(const Observations& trials, const Trend& trend);
    Eigen::Vector4d mean;
    Eigen::Vector4d deviation;
};

} // namespace batchpeak::search
