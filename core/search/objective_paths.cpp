// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "objective_paths.h"

#include "interpolation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace batchpeak::search {

namespace {

constexpr std::size_t curvePoints = 200;
constexpr double lowQuantile = 0.05;
constexpr double highQuantile = 0.95;

double quantile(std::vector<double>& values, double share)
{
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

} // namespace

ObjectivePaths::ObjectivePaths(const SamplePaths& stepTimes, const Throughput& throughput)
    : m_sizes(stepTimes.sizes), m_count(stepTimes.count)
{
    std::vector<double> logSizes;
    for (const std::int64_t size : m_sizes)
        logSizes.push_back(std::log(static_cast<double>(size)));
    m_values.reserve(stepTimes.logSeconds.size());
    std::vector<double> seconds(m_sizes.size());
    for (std::size_t index = 0; index < m_count; ++index) {
        const std::span<const double> logSeconds = stepTimes.path(index);
        if (throughput.dependsOnOneTime()) {
            // ln(m / T) needs no exponential, and this is where a search spends its time.
            std::ranges::transform(logSizes, logSeconds, std::back_inserter(m_values), std::minus());
            continue;
        }
        std::ranges::transform(logSeconds, seconds.begin(), [](double value) { return std::exp(value); });
        const auto secondsAt = [&](std::int64_t size) { return interpolatedSeconds(m_sizes, seconds, size); };
        for (const std::int64_t size : m_sizes)
            m_values.push_back(std::log(throughput.samplesPerSecond(size, secondsAt)));
    }
}

std::size_t ObjectivePaths::columnOf(std::int64_t size) const
{
    return static_cast<std::size_t>(std::ranges::lower_bound(m_sizes, size) - m_sizes.begin());
}

Judgement::MeasuredSize ObjectivePaths::summary(std::int64_t size) const
{
    const std::size_t column = columnOf(size);
    const auto count = static_cast<double>(m_count);
    double sum = 0.0;
    for (std::size_t index = 0; index < m_count; ++index)
        sum += path(index)[column];
    const double mean = sum / count;
    double squares = 0.0;
    for (std::size_t index = 0; index < m_count; ++index)
        squares += std::pow(path(index)[column] - mean, 2);
    return {.size = size, .samplesPerSecond = std::exp(mean), .relativeError = std::sqrt(squares / count)};
}

std::vector<CurvePoint> ObjectivePaths::curve(std::int64_t limit) const
{
    const auto end = static_cast<std::size_t>(std::ranges::upper_bound(m_sizes, limit) - m_sizes.begin());
    const std::size_t stride = std::max<std::size_t>(end / curvePoints, 1);
    std::vector<CurvePoint> points;
    std::vector<double> values(m_count);
    for (std::size_t column = 0; column < end; column += stride) {
        for (std::size_t index = 0; index < m_count; ++index)
            values[index] = path(index)[column];
        points.push_back({.size = static_cast<double>(m_sizes[column]),
                          .samplesPerSecond = std::exp(quantile(values, 0.5)),
                          .low = std::exp(quantile(values, lowQuantile)),
                          .high = std::exp(quantile(values, highQuantile))});
    }
    return points;
}

std::vector<double> typicalSeconds(const SamplePaths& stepTimes)
{
    std::vector<double> sums(stepTimes.sizes.size());
    for (std::size_t index = 0; index < stepTimes.count; ++index) {
        const std::span<const double> path = stepTimes.path(index);
        for (std::size_t column = 0; column < sums.size(); ++column)
            sums[column] += path[column];
    }
    for (double& sum : sums)
        sum = std::exp(sum / static_cast<double>(stepTimes.count));
    return sums;
}

} // namespace batchpeak::search
