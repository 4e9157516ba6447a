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

/// One way in which peak memory may follow from the size, as far as the trials tell it: constant + perSample
/// * growth(size), and a workspace on top that appears at once above some size.
///
/// What the peak of a size that was not tried may be is MemoryModel's business.
struct MemoryLaw
{
    /// growth(m) = m for a power of 1; other powers are scaled to agree at the largest trial.
    double power = 1.0;
    /// A workspace of stepMebibytes appears between this measured size and the next; 0 where there is none.
    double stepAfter = 0.0;
    double stepMebibytes = 0.0;

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

/// Peaks are affine in the size: by weighted least squares, the largest trials counting for most, since an
/// allocator rounds small ones up. Nothing where they are of one size only.
std::optional<MemoryLaw> affineMemoryLaw(const std::vector<MemoryPeak>& peaks);

/// The affine law, and the others that may explain the peaks as well: a workspace that appeared between two
/// sizes that were tried, and powers of the size. \param limitMebibytes  what the device allows: workspaces
/// are shares of it
std::vector<MemoryLaw> weighMemoryLaws(const std::vector<MemoryPeak>& peaks, double limitMebibytes);

} // namespace batchpeak::search
