// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "axis_view.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

// Margin beside a place that is brought back into view, as a fraction of the width.
constexpr double roomBeside = 0.1;

} // namespace

double AxisView::from(double place) const
{
    return logarithmic ? std::log(std::max(place, 1e-9)) : place;
}

double AxisView::to(double distance) const
{
    return logarithmic ? std::exp(distance) : distance;
}

std::optional<AxisRange> AxisView::limitedDistances(double low, double high) const
{
    const double begin = from(whole.minimum);
    const double end = from(whole.maximum);
    // Rounding must not leave a zoomed view that shows the whole.
    constexpr double nearly = 0.999;
    const double span = high - low;
    if (span >= nearly * (end - begin))
        return std::nullopt;
    low = std::clamp(low, begin, end - span);
    return AxisRange{.minimum = to(low), .maximum = to(low + span)};
}

std::optional<AxisRange> AxisView::zoomed(const AxisRange& shown, double factor, double fixed) const
{
    const double low = from(shown.minimum);
    const double high = from(shown.maximum);
    const double at = std::clamp(from(fixed), low, high);
    const auto asked = limitedDistances(at - factor * (at - low), at + factor * (high - at));
    const bool isTooNarrow = asked && factor < 1.0 && asked->maximum - asked->minimum < minSpan;
    return isTooNarrow ? shown : asked;
}

AxisRange AxisView::moved(const AxisRange& shown, double share) const
{
    const double low = from(shown.minimum);
    const double high = from(shown.maximum);
    const double by = share * (high - low);
    return limitedDistances(low + by, high + by).value_or(whole);
}

std::optional<AxisRange> AxisView::limited(const AxisRange& asked) const
{
    const double low = std::clamp(asked.minimum, whole.minimum, whole.maximum);
    const double high = std::clamp(asked.maximum, whole.minimum, whole.maximum);
    const double missing = std::max(0.0, minSpan - (high - low));
    const double min = std::max(whole.minimum, low - missing / 2.0);
    return limitedDistances(from(min), from(std::max(high, min + minSpan)));
}

AxisRange AxisView::revealing(const AxisRange& shown, double place) const
{
    if (place >= shown.minimum && place <= shown.maximum)
        return shown;
    const double low = from(shown.minimum);
    const double high = from(shown.maximum);
    const double room = roomBeside * (high - low);
    const double by = place < shown.minimum ? from(place) - room - low : from(place) + room - high;
    return limitedDistances(low + by, high + by).value_or(whole);
}

} // namespace batchpeak::ui
