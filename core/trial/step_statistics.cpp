// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace batchpeak::trial {

namespace {

// 20 % from each end, and at least one from three steps on: a trial given up after three steps
// would otherwise keep the stall that made it look slow.
std::size_t stepsToDrop(std::size_t steps)
{
    return std::max<std::size_t>(steps / 5, steps >= 3 ? 1 : 0);
}

// Uses Newton's method on the normal distribution function. \p probability lies in 0.5..1, where the function
// is concave, so that the iterates approach the root from below.
double normalQuantile(double probability)
{
    constexpr int enoughIterations = 64;
    double z = 0.0;
    for (int i = 0; i < enoughIterations; ++i) {
        const double excess = 0.5 * std::erfc(-z / std::numbers::sqrt2) - probability;
        const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
        const double correction = excess / density;
        z -= correction;
        if (std::abs(correction) < 1e-12)
            break;
    }
    return z;
}

std::vector<double> sortedCopy(std::span<const double> seconds)
{
    std::vector<double> sorted(seconds.begin(), seconds.end());
    std::ranges::sort(sorted);
    return sorted;
}

constexpr std::size_t fewestWarmupSteps = 2;
constexpr std::size_t maxWarmupSteps = 5;
constexpr double steadyWithin = 0.03;
constexpr double shareOfTimeLimit = 0.2;
constexpr double warmAfterSeconds = 2.0;

} // namespace

std::optional<double> typicalStepSeconds(std::span<const double> seconds)
{
    const auto usable = [](double s) { return std::isfinite(s) && s > 0; };
    if (seconds.empty() || !std::ranges::all_of(seconds, usable))
        return std::nullopt;

    const std::vector<double> sorted = sortedCopy(seconds);
    const std::size_t dropped = stepsToDrop(sorted.size());
    const auto middle = std::span(sorted).subspan(dropped, sorted.size() - 2 * dropped);
    return std::reduce(middle.begin(), middle.end()) / static_cast<double>(middle.size());
}

std::optional<double> relativeStandardError(std::span<const double> seconds)
{
    constexpr std::size_t fewestSteps = 3;
    const std::optional<double> typical = typicalStepSeconds(seconds);
    if (!typical || seconds.size() < fewestSteps)
        return std::nullopt;

    const std::vector<double> sorted = sortedCopy(seconds);
    const std::size_t dropped = sorted.size() / 5;
    const double range = sorted[sorted.size() - 1 - dropped] - sorted[dropped];
    const auto count = static_cast<double>(sorted.size());
    const double position = (count - static_cast<double>(dropped) - 0.375) / (count + 0.25);
    const double spread = range / *typical / (2.0 * normalQuantile(position));
    return spread * std::sqrt(2.0 / count);
}

bool isWarm(std::span<const double> seconds, double timeLimitSeconds)
{
    const std::size_t steps = seconds.size();
    if (steps < fewestWarmupSteps)
        return false;
    if (steps >= maxWarmupSteps)
        return true;
    if (std::reduce(seconds.begin(), seconds.end()) >= shareOfTimeLimit * timeLimitSeconds)
        return true;

    const std::span<const double> timed = seconds.subspan(1);
    if (std::reduce(timed.begin(), timed.end()) >= warmAfterSeconds)
        return true;
    if (timed.size() < 2)
        return false;
    const double last = timed.back();
    const double before = timed[timed.size() - 2];
    return std::abs(last - before) < steadyWithin * std::min(last, before);
}

void RunScatter::add(std::int64_t microBatchSize, double seconds)
{
    m_logarithms[microBatchSize].push_back(std::log(seconds));
}

double RunScatter::relativeDeviation() const
{
    constexpr double defaultDeviation = 0.01;
    double squares = defaultDeviation * defaultDeviation;
    double degreesOfFreedom = 1.0;
    bool repeated = false;
    for (const auto& [size, logarithms] : m_logarithms) {
        const auto count = static_cast<double>(logarithms.size());
        const double mean = std::reduce(logarithms.begin(), logarithms.end()) / count;
        for (const double logarithm : logarithms)
            squares += (logarithm - mean) * (logarithm - mean);
        degreesOfFreedom += count - 1;
        repeated = repeated || logarithms.size() > 1;
    }
    return repeated ? std::sqrt(squares / degreesOfFreedom) : 0.0;
}

} // namespace batchpeak::trial
