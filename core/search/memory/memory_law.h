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

/// What is known of a law before any trial.
struct MemoryBackground
{
    /// What the device allows: workspaces are shares of it.
    double limitMebibytes = 0.0;
    /// Held before the first forward pass, and so at every moment of a step.
    double heldMebibytes = 0.0;
    /// By the network's description [MiB per sample], and its standard deviation; 0 where there is none.
    double perSample = 0.0;
    double perSampleDeviation = 0.0;

    bool isDescribed() const { return perSample > 0.0; }
};

/// One way in which peak memory may follow from the size, as far as the trials tell it: constant + perSample
/// * growth(size), and a workspace on top that appears at once above some size.
///
/// What the peak of a size that was not tried may be is MemoryModel's business.
struct MemoryLaw
{
    /// growth(m) = m for a power of 1; other powers are scaled to agree at the largest trial.
    double power = 1.0;
    /// Part of the growth at the largest trial that rises with the square of the size.
    double squareShare = 0.0;
    /// A workspace of stepMebibytes appears between this measured size and the next; 0 where there is none.
    double stepAfter = 0.0;
    double stepMebibytes = 0.0;
    /// Up to this measured size another moment of the step needs more than this law says; 0 where it holds
    /// for all.
    double holdsAfter = 0.0;
    /// By what share of itself a peak may lie off the law, as standard deviation.
    double roughness = 0.0;

    double constantMebibytes = 0.0;
    /// [MiB per sample], and its standard deviation.
    double perSample = 0.0;
    double deviation = 0.0;
    double largestSize = 1.0;
    /// Logarithm of likelihood times prior, up to a constant that all laws share.
    double logWeight = 0.0;

    double growth(double size) const;
    /// The workspace is in it.
    double mebibytesAt(double size) const;
};

/// What a step needs most at may change to another of its moments, whose need grows faster: probability for
/// each doubling of the size.
inline constexpr double changeOfMomentPerDoubling = 0.02;

/// Peaks are affine in the size: by weighted least squares, the largest trials counting for most, since an
/// allocator rounds small ones up. Nothing where they are of one size only.
std::optional<MemoryLaw> affineMemoryLaw(const std::vector<MemoryPeak>& peaks);

/// The affine law, and the others that may explain the peaks as well: a workspace that appeared between two
/// sizes that were tried, powers of the size, a square beside what is affine, a need that the smaller trials
/// hide, and an allocator that rounds coarsely. Of one size only nothing.
///
/// A description of the network makes laws that contradict it less likely, as far as it may be wrong itself,
/// and slopes of small sizes surer.
std::vector<MemoryLaw> weighMemoryLaws(const std::vector<MemoryPeak>& peaks,
                                       const MemoryBackground& background);

} // namespace batchpeak::search
