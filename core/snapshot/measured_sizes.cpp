// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "measured_sizes.h"

#include "trial/step_statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace batchpeak::engine {

namespace {

using trial::Outcome;
using trial::TrialRecord;

/// Reading of the speed of one size by one trial.
struct Reading
{
    double samplesPerSecond = 0.0;
    std::optional<double> relativeError;
    bool isDisturbed = false;
};

struct Size
{
    MeasuredSize measured;
    std::vector<Reading> readings;
};

class Sizes
{
public:
    void take(const TrialRecord& trial)
    {
        if (trial.isComparison())
            return takeCompared(trial);
        of(trial.microBatchSize).measured.trials.push_back(trial.number);
        measure(trial);
    }

    /// Adds a recalled trial, unless a trial of this exploration has measured the size.
    void recall(const TrialRecord& trial)
    {
        if (of(trial.microBatchSize).measured.trials.empty())
            measure(trial);
    }

    std::map<std::int64_t, Size>& all() { return m_sizes; }

private:
    void measure(const TrialRecord& trial)
    {
        Size& size = of(trial.microBatchSize);
        size.measured.peakReservedBytes =
            std::max(size.measured.peakReservedBytes, trial.peakReservedBytes.value_or(0));
        if (trial.outcome == Outcome::Ok && trial.samplesPerSecond && !trial.thrashes)
            size.readings.push_back({.samplesPerSecond = *trial.samplesPerSecond,
                                     .relativeError = trial.relativeError,
                                     .isDisturbed = trial.disturbed});
    }

    Size& of(std::int64_t microBatchSize)
    {
        Size& size = m_sizes[microBatchSize];
        size.measured.microBatchSize = microBatchSize;
        return size;
    }

    void takeCompared(const TrialRecord& trial)
    {
        // A comparison that ended early without a size as the cause does not count, whatever it has measured.
        const bool counts = (trial.outcome == Outcome::Ok || trial.microBatchSize > 0) && !trial.thrashes;
        for (const trial::ComparedRecord& compared : trial.compared) {
            Size& size = of(compared.microBatchSize);
            size.measured.trials.push_back(trial.number);
            size.measured.peakReservedBytes =
                std::max(size.measured.peakReservedBytes, compared.peakReservedBytes.value_or(0));
            if (counts && compared.samplesPerSecond)
                size.readings.push_back({.samplesPerSecond = *compared.samplesPerSecond,
                                         .relativeError = compared.relativeError,
                                         .isDisturbed = trial.disturbed});
        }
    }

    std::map<std::int64_t, Size> m_sizes;
};

/// Returns the scatter from run to run, as far as sizes were tried more than once.
double scatterOf(const std::map<std::int64_t, Size>& sizes)
{
    trial::RunScatter scatter;
    for (const auto& [microBatchSize, size] : sizes) {
        for (const Reading& reading : size.readings)
            scatter.add(microBatchSize, static_cast<double>(microBatchSize) / reading.samplesPerSecond);
    }
    return scatter.relativeDeviation();
}

/// Computes the mean of \p readings, which are not empty. A reading without an error has the weight of the
/// one with the largest error.
void pool(const std::vector<Reading>& readings, double runScatter, MeasuredSize& size)
{
    double largestError = 0.0;
    for (const Reading& reading : readings)
        largestError = std::max(largestError, reading.relativeError.value_or(0.0));
    const bool tellsErrors = largestError > 0.0 || runScatter > 0.0;
    double weights = 0.0;
    double sum = 0.0;
    for (const Reading& reading : readings) {
        const double told = reading.relativeError.value_or(0.0);
        const double error = std::hypot(told > 0.0 ? told : largestError, runScatter);
        const double weight = tellsErrors ? 1.0 / (error * error) : 1.0;
        weights += weight;
        sum += weight * reading.samplesPerSecond;
    }
    size.soundTrials = static_cast<int>(readings.size());
    size.samplesPerSecond = sum / weights;
    if (tellsErrors)
        size.relativeError = 1.0 / std::sqrt(weights);
}

} // namespace

std::vector<MeasuredSize> measuredSizes(const Snapshot& snapshot)
{
    Sizes sizes;
    for (const TrialRecord& trial : snapshot.trials)
        sizes.take(trial);
    for (const RecalledTrial& recalled : snapshot.recalled)
        sizes.recall(recalled.trial);
    const auto isCalm = [](const Reading& reading) { return !reading.isDisturbed; };
    for (auto& [microBatchSize, size] : sizes.all()) {
        if (std::ranges::any_of(size.readings, isCalm))
            std::erase_if(size.readings, &Reading::isDisturbed);
    }

    const double runScatter = scatterOf(sizes.all());
    const search::SearchState& state = snapshot.searchState;
    std::vector<MeasuredSize> measured;
    for (auto& [microBatchSize, size] : sizes.all()) {
        if (!size.readings.empty())
            pool(size.readings, runScatter, size.measured);
        if (const search::SizeEstimate* estimate = state.estimateOf(microBatchSize)) {
            size.measured.samplesPerSecond = estimate->samplesPerSecond;
            size.measured.relativeError = estimate->relativeError;
        }
        if (snapshot.recommendsSize() && state.recommendation->size == microBatchSize) {
            size.measured.isRecommended = true;
            size.measured.samplesPerSecond = state.recommendation->samplesPerSecond;
            size.measured.relativeError = state.recommendation->relativeError;
        }
        measured.push_back(std::move(size.measured));
    }
    return measured;
}

bool hasRun(const Snapshot& snapshot, std::int64_t microBatchSize)
{
    const auto ranWell = [microBatchSize](const TrialRecord& trial) {
        const auto compared =
            std::ranges::find(trial.compared, microBatchSize, &trial::ComparedRecord::microBatchSize);
        if (compared != trial.compared.end())
            return compared->samplesPerSecond.has_value();
        return trial.microBatchSize == microBatchSize && trial.ranWell();
    };
    if (std::ranges::any_of(snapshot.trials, ranWell))
        return true;
    // An earlier exploration may have been allowed more memory when it ran the size.
    const std::int64_t failure = snapshot.searchState.smallestFailure;
    return (failure == 0 || microBatchSize < failure) &&
           std::ranges::any_of(snapshot.recalled, ranWell, &RecalledTrial::trial);
}

} // namespace batchpeak::engine
