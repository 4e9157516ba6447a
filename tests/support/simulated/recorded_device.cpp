// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_device.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

namespace {

using Trial = RecordedSweep::Trial;

/// Steps before the timed ones, the first of them slow: as ReplayDevice and core/search count them.
constexpr double warmupSteps = 4.5;
constexpr double leastRunNoise = 5e-4;
constexpr double leastSetupSeconds = 0.01;

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Of a chi-squared variable over its degrees of freedom: Wilson and Hilferty, PNAS 17 (1931).
double medianOfScaledChiSquared(double degrees)
{
    return std::pow(1.0 - 2.0 / (9.0 * degrees), 3.0);
}

/// Sizes that ran, ascending, with a value each.
struct Table
{
    std::vector<double> sizes;
    std::vector<double> values;

    /// Linear in the size, or in its logarithm; before the first and after the last value as between the two
    /// next to it, or constant.
    double at(double size, bool isLogarithmic, bool goesOn) const
    {
        if (sizes.size() == 1)
            return values.front();
        const auto above = static_cast<std::size_t>(std::ranges::lower_bound(sizes, size) - sizes.begin());
        const std::size_t high = std::clamp<std::size_t>(above, 1, sizes.size() - 1);
        const auto place = [&](double of) { return isLogarithmic ? std::log(of) : of; };
        double share = (place(size) - place(sizes[high - 1])) / (place(sizes[high]) - place(sizes[high - 1]));
        if (!goesOn)
            share = std::clamp(share, 0.0, 1.0);
        return values[high - 1] + share * (values[high] - values[high - 1]);
    }
};

/// Relative deviation of whole runs: half of the sizes scatter by less than chance has it. The median is not
/// moved by a run that something else disturbed.
double runNoiseOf(const std::map<std::int64_t, std::vector<Trial>>& sizes)
{
    std::vector<double> excess;
    for (const auto& [size, trials] : sizes) {
        if (trials.size() < 2)
            continue;
        const auto count = static_cast<double>(trials.size());
        double mean = 0.0;
        for (const Trial& trial : trials)
            mean += std::log(trial.secondsPerStep) / count;
        double variance = 0.0;
        double explained = 0.0;
        for (const Trial& trial : trials) {
            variance += std::pow(std::log(trial.secondsPerStep) - mean, 2.0) / (count - 1.0);
            explained += trial.relativeError * trial.relativeError / count;
        }
        excess.push_back(variance / medianOfScaledChiSquared(count - 1.0) - explained);
    }
    return excess.empty() ? leastRunNoise
                          : std::sqrt(std::max(median(excess), leastRunNoise * leastRunNoise));
}

} // namespace

ReplayDevice::Truth recordedDevice(const RecordedSweep& sweep)
{
    std::map<std::int64_t, std::vector<Trial>> sizes;
    std::int64_t smallestFailure = std::numeric_limits<std::int64_t>::max();
    for (const Trial& trial : sweep.trials) {
        if (trial.fits)
            sizes[trial.size].push_back(trial);
        else
            smallestFailure = std::min(smallestFailure, trial.size);
    }

    const auto secondsPerSample = std::make_shared<Table>();
    const auto peaks = std::make_shared<Table>();
    std::vector<double> stepNoises;
    std::vector<double> setups;
    std::vector<double> optimizers;
    for (const auto& [size, trials] : sizes) {
        std::vector<double> seconds;
        double peak = 0.0;
        for (const Trial& trial : trials) {
            seconds.push_back(trial.secondsPerStep / static_cast<double>(size));
            peak = std::max(peak, trial.peakReservedBytes);
            stepNoises.push_back(trial.relativeError * std::sqrt(trial.steps / 2.0));
            setups.push_back(trial.wallSeconds - (warmupSteps + trial.steps) * trial.secondsPerStep);
            optimizers.push_back(trial.optimizerSeconds);
        }
        secondsPerSample->sizes.push_back(static_cast<double>(size));
        secondsPerSample->values.push_back(median(seconds));
        peaks->sizes.push_back(static_cast<double>(size));
        peaks->values.push_back(peak);
    }

    ReplayDevice::Truth truth{.baselineBytes = sweep.baselineBytes,
                              .limitBytes = sweep.limitBytes,
                              .drift = 0.0,
                              .outlierShare = 0.0};
    truth.seconds = [secondsPerSample](std::int64_t size) {
        const auto m = static_cast<double>(size);
        return m * secondsPerSample->at(m, true, false);
    };
    const double limit = sweep.limitBytes;
    truth.peakBytes = [peaks, limit, smallestFailure](std::int64_t size) {
        const double peak = peaks->at(static_cast<double>(size), false, true);
        return size < smallestFailure ? peak : std::max(peak, limit + 1.0);
    };
    if (smallestFailure == std::numeric_limits<std::int64_t>::max())
        truth.maximum = sizes.rbegin()->first;
    truth.stepNoise = median(stepNoises);
    truth.runNoise = runNoiseOf(sizes);
    truth.setupSeconds = std::max(median(setups), leastSetupSeconds);
    truth.optimizerSeconds = median(optimizers);
    return truth;
}
