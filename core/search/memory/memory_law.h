// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

namespace batchpeak::search {

/// Peak memory of one trial.
struct MemoryPeak
{
    double size = 1.0;
    double mebibytes = 0.0;
};

/// What is known about a law before any trial.
struct MemoryBackground
{
    /// Memory limit of the device: workspaces are shares of it.
    double limitMebibytes = 0.0;
    /// Memory held before the first forward pass, and thus at every moment of a step.
    double heldMebibytes = 0.0;
    /// Slope according to the network's description [MiB per sample], and its standard deviation; 0 if there
    /// is no description.
    double perSample = 0.0;
    double perSampleDeviation = 0.0;

    bool isDescribed() const { return perSample > 0.0; }
};

/// One way in which peak memory may depend on the size, as far as the trials tell: constant + perSample *
/// growth(size), plus a workspace that appears at once above some size.
///
/// MemoryModel decides what the peak of an untried size may be.
struct MemoryLaw
{
    /// growth(m) = m for a power of 1; other powers are scaled to agree at the largest trial.
    double power = 1.0;
    /// Part of the growth at the largest trial that is proportional to the square of the size.
    double squareShare = 0.0;
    /// A workspace of stepMebibytes appears between this measured size and the next; 0 if there is none.
    double stepAfter = 0.0;
    double stepMebibytes = 0.0;
    /// Up to this measured size, another moment of the step needs more than this law says; 0 if the law holds
    /// for all sizes.
    double holdsAfter = 0.0;
    /// Standard deviation of a peak from the law, as a share of the peak.
    double roughness = 0.0;

    double constantMebibytes = 0.0;
    /// Slope [MiB per sample], and its standard deviation.
    double perSample = 0.0;
    double deviation = 0.0;
    double largestSize = 1.0;
    /// Logarithm of likelihood times prior, up to a constant that all laws share.
    double logWeight = 0.0;

    double growth(double size) const;
    /// Returns the peak at \p size, including the workspace.
    double mebibytesAt(double size) const;
};

/// The moment of a step that needs the most memory may change to another one, whose need grows faster. This
/// is the probability for each doubling of the size.
inline constexpr double changeOfMomentPerDoubling = 0.02;

/// Fits a law that is affine in the size, by weighted least squares. The largest trials count most, since an
/// allocator rounds small peaks up. Returns nothing if all peaks are of one size.
std::optional<MemoryLaw> affineMemoryLaw(const std::vector<MemoryPeak>& peaks);

/// Returns the affine law, and the others that may explain the peaks as well: a workspace that appeared
/// between two tried sizes, powers of the size, a square term beside the affine law, a need that the smaller
/// trials hide, and an allocator that rounds coarsely. Returns no law if all peaks are of one size.
///
/// A description of the network makes laws that contradict it less likely, taking its own error into account,
/// and makes slopes from small sizes more certain.
std::vector<MemoryLaw> weighMemoryLaws(const std::vector<MemoryPeak>& peaks,
                                       const MemoryBackground& background);

} // namespace batchpeak::search
