// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_reading.h"

#include "trial/step_statistics.h"
#include "trial_reading.h"

#include <algorithm>
#include <vector>

namespace batchpeak::engine {

namespace {

using trial::Outcome;

bool isOfOneSize(Outcome outcome)
{
    return outcome == Outcome::OutOfMemory || outcome == Outcome::Unsupported || outcome == Outcome::Failed;
}

} // namespace

trial::ComparedRecord comparedRecordOf(const trial::ComparedSize& size, double optimizerSeconds,
                                       double reductionSeconds, const RunDescription& run)
{
    trial::ComparedRecord record;
    record.microBatchSize = size.microBatchSize;
    record.peakReservedBytes = measuredPeak(size.peakReservedBytes);
    const std::vector<double> typical = trial::typicalStepSecondsOf(size.visits);
    const auto speedOf = [&](double seconds) {
        return samplesPerSecond(run, size.microBatchSize, seconds, optimizerSeconds, reductionSeconds);
    };
    for (std::size_t visit = 0; visit < typical.size(); ++visit)
        record.visits.push_back(
            {.beginSeconds = size.visits[visit].clockSeconds, .samplesPerSecond = speedOf(typical[visit])});
    record.secondsPerStep = trial::typicalStepSeconds(typical);
    record.relativeError = trial::relativeStandardError(typical);
    if (record.secondsPerStep)
        record.samplesPerSecond = speedOf(*record.secondsPerStep);
    return record;
}

void finishComparison(trial::TrialRecord& trial, const trial::TrialResult& result,
                      const DeviceSnapshot& device, const RunDescription& run)
{
    trial.microBatchSize = isOfOneSize(*trial.outcome) ? result.microBatchSize : 0;
    trial.optimizerSeconds = result.optimizerSeconds;
    trial.reductionSeconds = result.reductionSeconds;
    int steps = 0;
    for (const trial::ComparedSize& size : result.compared) {
        for (const trial::Visit& visit : size.visits)
            steps += static_cast<int>(visit.stepSeconds.size());
        const auto record =
            std::ranges::find(trial.compared, size.microBatchSize, &trial::ComparedRecord::microBatchSize);
        *record = comparedRecordOf(size, result.optimizerSeconds.value_or(0.0),
                                   result.reductionSeconds.value_or(0.0), run);
        const bool isTooMuch = device.limitBytes > 0 && size.peakReservedBytes > device.limitBytes;
        if (isTooMuch && trial.outcome == Outcome::Ok) {
            trial.outcome = Outcome::OutOfMemory;
            trial.microBatchSize = size.microBatchSize;
            trial.peakReservedBytes = size.peakReservedBytes;
            trial.text = spilledText(size.peakReservedBytes, device);
        }
    }
    trial.timedSteps = trial.outcome == Outcome::Ok ? steps : std::max(trial.timedSteps, steps);
}

search::Measurement measurementOfComparison(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                            bool workerLost)
{
    search::Measurement measurement{.optimizerSeconds = result.optimizerSeconds.value_or(0.0),
                                    .disturbed = trial.disturbed,
                                    .contention = result.readings.contention.value_or(0.0),
                                    .compared = result.compared};
    if (trial.microBatchSize > 0) {
        measurement.size = trial.microBatchSize;
        measurement.outcome = *trial.outcome;
        measurement.peakReservedBytes = trial.peakReservedBytes.value_or(0);
    } else if (trial.outcome == Outcome::Ok && !trial.thrashes) {
        const trial::ComparedSize& first = result.compared.front();
        measurement.size = first.microBatchSize;
        measurement.outcome = Outcome::Ok;
        measurement.secondsPerStep = *trial::typicalStepSeconds(trial::typicalStepSecondsOf(first.visits));
        measurement.peakReservedBytes = first.peakReservedBytes;
    } else {
        measurement.outcome = workerLost ? Outcome::Crashed : Outcome::Failed;
        if (trial.thrashes)
            measurement.compared.clear();
    }
    return measurement;
}

} // namespace batchpeak::engine
