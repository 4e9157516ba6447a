// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace batchpeak::ui {

/// Range of the horizontal axis: sizes or steps.
struct AxisRange
{
    double minimum = 0.87;
    double maximum = 4.6;
    bool operator==(const AxisRange&) const = default;
};

/// Scale of a value axis; it begins at 0 unless that would squeeze the values against its top.
struct ValueScale
{
    double bottom = 0.0;
    double top = 1.0;
    double step = 0.5;
    /// Number of decimals that makes every label exact.
    int decimals = 1;
    bool operator==(const ValueScale&) const = default;
};

/// Returns a scale with 12 % of free space above \p largest and round steps of 1, 2, 2.5 or 5 times a power
/// of ten.
/// \param maxTicks  maximum number of ticks, including 0; at least 2
ValueScale valueScaleFor(double largest, int maxTicks);
/// Does the same for values that are all far above 0 and differ little, such as a loss late in a run: then 12
/// % of their span is free above and below. The scale begins at 0 if less than half of the axis would be
/// empty below the values.
/// \param smallest  at least 0, and at most \p largest
ValueScale valueScaleFor(double smallest, double largest, int maxTicks);

/// Returns a scale from \p bottom to \p top, exactly as the user has zoomed.
/// \param maxTicks  at least 2
ValueScale valueScaleBetween(double bottom, double top, int maxTicks);

/// Returns a range that reaches at least to \p lastStep. It grows in jumps of a quarter, so that the axis
/// stands still for a while as a run continues, and ends at \p plannedSteps at most if the run has as many.
/// \param firstStep  step after which a resumed run begins; the range begins there
AxisRange stepRangeFor(std::int64_t firstStep, std::int64_t lastStep, std::int64_t plannedSteps);

/// Returns the base of the labels of a logarithmic axis with that many pixels, such that no label touches the
/// next: 2 if they have room, else a power of 2.
/// \param labelPixels  width of the widest label, including the required gap
int logBaseFor(const AxisRange& range, double pixels, double labelPixels);
/// Returns integer ticks for a logarithmic axis that shows too few powers of that base to be readable:
/// multiples of 1, 2 or 5 times a power of ten. Returns nothing if the powers suffice.
std::vector<std::int64_t> ticksBetweenPowers(const AxisRange& range, int base, double pixels,
                                             double labelPixels);

} // namespace batchpeak::ui
