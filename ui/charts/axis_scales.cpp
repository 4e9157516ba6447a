// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "axis_scales.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace batchpeak::ui {

namespace {

int decimalsOf(double step)
{
    int decimals = 0;
    for (double rest = step; decimals < 9 && std::abs(rest - std::round(rest)) > 1e-6 * rest; rest *= 10.0)
        ++decimals;
    return decimals;
}

} // namespace

ValueScale valueScaleFor(double largest, int maxTicks)
{
    return valueScaleFor(0.0, largest, maxTicks);
}

ValueScale valueScaleFor(double smallest, double largest, int maxTicks)
{
    constexpr double freeShare = 0.12;
    constexpr double maxHidden = 0.5;
    double bottom = std::max(0.0, smallest - freeShare * (largest - smallest));
    double top = largest + freeShare * (largest - smallest);
    if (bottom < maxHidden * top || top <= bottom) {
        bottom = 0.0;
        top = largest > 0.0 ? largest * (1.0 + freeShare) : 1.0;
    }
    return valueScaleBetween(bottom, top, maxTicks);
}

ValueScale valueScaleBetween(double bottom, double top, int maxTicks)
{
    const double intervals = std::max(maxTicks, 2) - 1;
    const double power = std::pow(10.0, std::floor(std::log10((top - bottom) / intervals)));
    constexpr std::array round{1.0, 2.0, 2.5, 5.0, 10.0};
    for (const double factor : round) {
        // With a tick exactly at the top there would be one tick more.
        const double step = factor * power;
        if ((top - bottom) / step < intervals + 1.0 - 1e-9)
            return {.bottom = bottom, .top = top, .step = step, .decimals = decimalsOf(step)};
    }
    return {.bottom = bottom, .top = top, .step = 10.0 * power, .decimals = decimalsOf(10.0 * power)};
}

AxisRange stepRangeFor(std::int64_t firstStep, std::int64_t lastStep, std::int64_t plannedSteps)
{
    constexpr double fewestSteps = 10.0;
    constexpr double jump = 1.25;
    const auto begin = static_cast<double>(firstStep);
    const auto last = static_cast<double>(lastStep);
    double end = begin + fewestSteps;
    while (end < last)
        end = begin + std::ceil((end - begin) * jump);
    const auto planned = static_cast<double>(plannedSteps);
    if (plannedSteps > firstStep && planned >= last)
        end = std::min(end, planned);
    return {.minimum = begin, .maximum = end};
}

int logBaseFor(const AxisRange& range, double pixels, double labelPixels)
{
    const double doublings = std::log2(range.maximum / range.minimum);
    int base = 2;
    for (double labels = doublings; labels * labelPixels > pixels && base < 4096; labels /= 2.0)
        base *= base;
    return base;
}

std::vector<std::int64_t> ticksBetweenPowers(const AxisRange& range, int base, double pixels,
                                             double labelPixels)
{
    constexpr double fewestPowers = 3.0;
    const double logBase = std::log(base);
    const double powers = std::floor(std::log(range.maximum) / logBase + 1e-9) -
                          std::ceil(std::log(range.minimum) / logBase - 1e-9) + 1.0;
    if (powers >= fewestPowers)
        return {};
    // Labels are closest at the right end.
    const double ratio = std::exp(std::log(range.maximum / range.minimum) * labelPixels / pixels);
    const double minStep = std::max(1.0, range.maximum - range.maximum / ratio);
    const double power = std::pow(10.0, std::floor(std::log10(minStep) + 1e-9));
    double step = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        step = factor * power;
        if (step >= minStep)
            break;
    }
    std::vector<std::int64_t> ticks;
    const auto last = static_cast<std::int64_t>(std::floor(range.maximum / step));
    for (auto number = static_cast<std::int64_t>(std::ceil(range.minimum / step)); number <= last; ++number) {
        const double tick = static_cast<double>(number) * step;
        if (tick >= 1.0)
            ticks.push_back(std::llround(tick));
    }
    return ticks;
}

} // namespace batchpeak::ui
