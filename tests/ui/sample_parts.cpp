// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_parts.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::test {

using namespace batchpeak::engine;

std::int64_t bytesOf(double gibibytes)
{
    return static_cast<std::int64_t>(gibibytes * gibibyte);
}

double throughputAt(double size)
{
    return size / (0.0082 + size * 0.000405);
}

double peakGibibytesAt(double size)
{
    return 9.4 + 0.262 * size;
}

trial::TrialRecord okTrial(int number, std::int64_t size, double deviation)
{
    const auto real = static_cast<double>(size);
    return {.number = number,
            .device = "cuda:0",
            .microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .samplesPerSecond = throughputAt(real) * (1.0 + deviation),
            .relativeError = 0.006 + 0.02 / std::sqrt(real),
            .secondsPerStep = real / throughputAt(real),
            .peakAllocatedBytes = bytesOf(peakGibibytesAt(real) * 0.97),
            .peakReservedBytes = bytesOf(peakGibibytesAt(real)),
            .warmupSteps = 3,
            .timedSteps = 12,
            .wallSeconds = 5.0 + 0.02 * real};
}

trial::TrialRecord trialThat(std::optional<trial::Outcome> outcome, int number, std::int64_t size,
                             double wallSeconds)
{
    return {.number = number,
            .device = "cuda:0",
            .microBatchSize = size,
            .outcome = outcome,
            .wallSeconds = wallSeconds};
}

void addCurve(Snapshot& snapshot, double from, double to, double spread)
{
    constexpr int samples = 150;
    for (int i = 0; i < samples; ++i) {
        const double size = from * std::pow(to / from, i / (samples - 1.0));
        double nearest = 10.0;
        for (const auto& trial : snapshot.trials) {
            if (trial.outcome == trial::Outcome::Ok)
                nearest =
                    std::min(nearest, std::abs(std::log2(size / static_cast<double>(trial.microBatchSize))));
        }
        const double half = spread * (0.012 + 0.07 * nearest);
        const double value = throughputAt(size);
        snapshot.searchState.curve.push_back({size, value, value * (1.0 - half), value * (1.0 + half)});
    }
}

void recommend(Snapshot& snapshot, std::int64_t size, int confidence, double base, const QString& reason)
{
    const auto real = static_cast<double>(size);
    snapshot.searchState.recommendation = {.size = size,
                                           .samplesPerSecond = throughputAt(real),
                                           .relativeError = 0.0086,
                                           .relativePerformance = throughputAt(real) / throughputAt(base),
                                           .confidence = confidence};
    snapshot.recommendedPeakBytes = bytesOf(peakGibibytesAt(real));
    snapshot.accumulationSteps = snapshot.run->plan.accumulationSteps(size);
    snapshot.reason = reason;
}

void addMemory(Snapshot& snapshot)
{
    snapshot.searchState.memory = {.constantBytes = 9.4 * gibibyte, .bytesPerSample = 0.262 * gibibyte};
    snapshot.searchState.largestPredictedFit = 241;
}

DeviceSnapshot sampleGpu(const QString& id)
{
    return {.id = id,
            .kind = QStringLiteral("cuda"),
            .name = QStringLiteral("NVIDIA H100"),
            .totalBytes = bytesOf(80.0),
            .limitBytes = bytesOf(79.1),
            .usableBytes = bytesOf(79.1 * 0.92),
            .baselineBytes = bytesOf(9.1),
            .workerPid = 41232,
            .program = QStringLiteral("batchpeak-worker"),
            .telemetry = {.utilizationPercent = 97, .temperatureCelsius = 64, .clockMegahertz = 1980}};
}

void release(DeviceSnapshot& device)
{
    device.workerPid = 0;
    device.telemetry = {};
}

} // namespace batchpeak::test
