// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace batchpeak::ui {

SizeRange sizeRangeOf(const ChartScene& scene)
{
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    const auto take = [&](std::int64_t size) {
        smallest = std::min(smallest, static_cast<double>(size));
        largest = std::max(largest, static_cast<double>(size));
    };
    for (const auto& point : scene.points)
        take(point.size);
    std::ranges::for_each(scene.running, take);
    std::ranges::for_each(scene.outOfMemory, take);
    std::ranges::for_each(scene.failed, take);
    if (largest <= 0.0)
        return {};
    double end = largest * 1.15;
    if (scene.wall > 0.0)
        end = std::min(end, scene.wall * 2.2);
    return {.minimum = smallest * 0.87, .maximum = std::max(end, smallest * 4.6)};
}

namespace {

int decimalsOf(double step)
{
    int decimals = 0;
    for (double rest = step; decimals < 9 && std::abs(rest - std::round(rest)) > 1e-6 * rest; rest *= 10.0)
        ++decimals;
    return decimals;
}

} // namespace

ValueScale valueScaleFor(double largest, int mostTicks)
{
    const double top = largest > 0.0 ? largest * 1.12 : 1.0;
    const double intervals = std::max(mostTicks, 2) - 1;
    double power = std::pow(10.0, std::floor(std::log10(top / intervals)));
    constexpr std::array round{1.0, 2.0, 2.5, 5.0, 10.0};
    for (const double factor : round) {
        // At top exactly there would be one tick more.
        if (top / (factor * power) < intervals + 1.0 - 1e-9)
            return {.top = top, .step = factor * power, .decimals = decimalsOf(factor * power)};
    }
    return {.top = top, .step = 10.0 * power, .decimals = decimalsOf(10.0 * power)};
}

int logBaseFor(const SizeRange& range, double pixels, double labelPixels)
{
    const double doublings = std::log2(range.maximum / range.minimum);
    int base = 2;
    for (double labels = doublings; labels * labelPixels > pixels && base < 4096; labels /= 2.0)
        base *= base;
    return base;
}

} // namespace batchpeak::ui
