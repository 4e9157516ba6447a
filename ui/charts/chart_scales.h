// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"

namespace batchpeak::ui {

/// The sizes that both charts span.
struct SizeRange
{
    double minimum = 0.87;
    double maximum = 4.6;
    bool operator==(const SizeRange&) const = default;
};

/// From the smallest size x 0.87 to the least of the largest size x 1.15 and the wall x 2.2: far enough
/// behind the wall to see it, not so far that it fills the chart. At least two doublings, so that one
/// single size has an axis to stand on.
SizeRange sizeRangeOf(const ChartScene& scene);

/// An axis that begins at 0.
struct ValueScale
{
    double top = 1.0;
    double step = 0.5;
    /// With which every label is exact.
    int decimals = 1;
    bool operator==(const ValueScale&) const = default;
};

/// A scale with 12 % free above \p largest and round steps of 1, 2, 2.5 or 5 times a power of ten.
/// \param mostTicks  of them all, 0 included; at least 2
ValueScale valueScaleFor(double largest, int mostTicks);

/// The base of the labels of a logarithmic axis of that many pixels, such that none runs into the next:
/// 2 where they have room, else a power of it.
/// \param labelPixels  width of the widest label with the gap that it needs
int logBaseFor(const SizeRange& range, double pixels, double labelPixels);

} // namespace batchpeak::ui
