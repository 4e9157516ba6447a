// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace batchpeak::ui {

/// What the axis of the places spans: sizes, or steps.
struct AxisRange
{
    double minimum = 0.87;
    double maximum = 4.6;
    bool operator==(const AxisRange&) const = default;
};

/// An axis of values; it begins at 0 unless that would press what is shown against its top.
struct ValueScale
{
    double bottom = 0.0;
    double top = 1.0;
    double step = 0.5;
    /// As many as make every label exact.
    int decimals = 1;
    bool operator==(const ValueScale&) const = default;
};

/// A scale with 12 % free above \p largest and round steps of 1, 2, 2.5 or 5 times a power of ten.
/// \param maxTicks  of them all, 0 included; at least 2
ValueScale valueScaleFor(double largest, int maxTicks);
/// The same for values that are all far above 0 and differ little, as a loss late in a run: then 12 % of
/// their span is free above and below. It begins at 0 as soon as that would hide no more than a quarter of
/// the axis. \param smallest  at least 0, and at most \p largest
ValueScale valueScaleFor(double smallest, double largest, int maxTicks);

/// A scale from \p bottom to \p top, just as a person chose to look at it. \param maxTicks  at least 2
ValueScale valueScaleBetween(double bottom, double top, int maxTicks);

/// From 0 to at least \p lastStep, in jumps of a quarter, so that the axis stands still for a while when a
/// run goes on, and to \p plannedSteps at most, where the run has as many. \param firstStep  that a resumed
/// run begins behind
AxisRange stepRangeFor(std::int64_t firstStep, std::int64_t lastStep, std::int64_t plannedSteps);

/// The base of the labels of a logarithmic axis of that many pixels, such that none runs into the next:
/// 2 where they have room, else a power of it.
/// \param labelPixels  width of the widest label with the gap that it needs
int logBaseFor(const AxisRange& range, double pixels, double labelPixels);
/// Whole places to label on a logarithmic axis that shows too few powers of that base to read it by:
/// multiples of 1, 2 or 5 times a power of ten. Empty where the powers do.
std::vector<std::int64_t> ticksBetweenPowers(const AxisRange& range, int base, double pixels,
                                             double labelPixels);

} // namespace batchpeak::ui
