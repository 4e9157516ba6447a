// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stride_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

constexpr std::array guesses{1.05, 1.0, 0.95};
/// A bracket this narrow is as good as the maximum.
constexpr double bracket = 0.05;
constexpr std::array strides{0.5, 0.75};
constexpr double stepDown = 0.95;
constexpr double worthwhileGain = 1.05;

} // namespace

std::optional<std::int64_t> StrideBaseline::nextSize()
{
    if (!hasRun())
        return smallestFailure() ? std::nullopt : std::optional(candidates().smallest());
    if (m_maximum == 0) {
        if (const auto size = nextForMaximum())
            return size;
        m_maximum = largestRun();
    }
    return nextStride();
}

std::optional<std::int64_t> StrideBaseline::nextForMaximum()
{
    const std::int64_t first = candidates().smallest();
    const auto baseline = static_cast<double>(space().baselineBytes);
    const double perSample = (peakBytes(first) - baseline) / static_cast<double>(first);
    const double predicted = (static_cast<double>(space().memoryLimitBytes) - baseline) / perSample;
    while (m_guess < guesses.size() && largestRun() == first) {
        if (const auto size = untried(guesses.at(m_guess++) * predicted))
            return size;
    }
    if (largestRun() > first || !smallestFailure())
        return std::nullopt;
    const auto low = static_cast<double>(largestRun());
    const auto high = static_cast<double>(*smallestFailure());
    return (high - low) / high > bracket ? untried((low + high) / 2.0) : std::nullopt;
}

std::optional<std::int64_t> StrideBaseline::nextStride()
{
    for (const double stride : strides) {
        if (const auto size = untried(stride * static_cast<double>(m_maximum)))
            return size;
    }
    if (speed(fastest()) <= worthwhileGain * m_speedBeforeStep)
        return std::nullopt;
    m_speedBeforeStep = speed(fastest());
    return untried(stepDown * static_cast<double>(fastest()));
}
