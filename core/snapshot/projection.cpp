// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "projection.h"

#include "model/run_kind.h"
#include "text/readable_text.h"
#include "text/translated.h"
#include "trial/step_statistics.h"

#include <algorithm>
#include <map>
#include <vector>

namespace batchpeak::engine {

namespace {

const trial::Link* linkOf(const Snapshot& snapshot)
{
    for (const DeviceSnapshot& device : snapshot.devices) {
        if (device.link)
            return &*device.link;
    }
    return nullptr;
}

double bytesExchanged(const RunDescription& run)
{
    constexpr double half = 2.0;
    constexpr double single = 4.0;
    const auto trained = static_cast<double>(run.parameters - run.frozenParameters);
    return trained * (model::isNarrowThroughout(run.precision) ? half : single);
}

double typical(const std::vector<double>& seconds)
{
    return trial::typicalStepSeconds(seconds).value_or(0.0);
}

} // namespace

double ringSeconds(const trial::Link& link, double bytes, std::int64_t processes)
{
    const auto count = static_cast<double>(processes);
    return (count - 1.0) * (link.alphaSeconds + bytes / count * link.betaSecondsPerByte);
}

std::optional<Projection> projectionOf(const Snapshot& snapshot)
{
    const trial::Link* const link = linkOf(snapshot);
    if (!snapshot.run || !link)
        return std::nullopt;
    const RunDescription& run = *snapshot.run;
    const std::int64_t devices = run.plan.devices;
    if (run.processes < 2 || devices <= run.processes || devices > mostProjected)
        return std::nullopt;

    std::map<std::int64_t, std::vector<double>> times;
    std::vector<double> reductions;
    std::vector<double> optimizer;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (!trial.ranWell())
            continue;
        if (trial.secondsPerStep && !trial.isComparison())
            times[trial.microBatchSize].push_back(*trial.secondsPerStep);
        for (const trial::ComparedRecord& size : trial.compared) {
            if (size.secondsPerStep)
                times[size.microBatchSize].push_back(*size.secondsPerStep);
        }
        if (trial.reductionSeconds)
            reductions.push_back(*trial.reductionSeconds);
        if (trial.optimizerSeconds)
            optimizer.push_back(*trial.optimizerSeconds);
    }
    const double bytes = bytesExchanged(run);
    const double more = ringSeconds(*link, bytes, devices) - ringSeconds(*link, bytes, run.processes);
    const bool isReplicated = !reductions.empty();
    constexpr double roundsOfReduction = 2.0;
    constexpr double roundsOfMicroBatch = 3.0;
    const double perStep = isReplicated ? typical(reductions) + roundsOfReduction * more : 0.0;
    const double perMicroBatch = isReplicated ? -typical(reductions) : roundsOfMicroBatch * more;
    const bool isEffective = run.objective == search::Objective::Effective;

    std::optional<Projection> best;
    for (const auto& [size, seconds] : times) {
        const double microBatch = typical(seconds) + perMicroBatch;
        const auto steps = static_cast<double>(isEffective ? run.plan.accumulationSteps(size) : 1);
        const auto samples = static_cast<double>(isEffective ? run.plan.perDeviceBatch() : size);
        const double whole = steps * microBatch + perStep + (isEffective ? typical(optimizer) : 0.0);
        const double speed = static_cast<double>(devices) * samples / whole;
        if (whole > 0.0 && (!best || speed > best->samplesPerSecond))
            best = Projection{.processes = devices, .microBatchSize = size, .samplesPerSecond = speed};
    }
    return best;
}

QString projectionText(const Snapshot& snapshot, const QLocale& locale)
{
    const auto projection = projectionOf(snapshot);
    if (!projection)
        return {};
    const trial::Link& link = *linkOf(snapshot);
    return Translated::tr(
               "On the %1 processes of the config, size %2 would reach about %3 samples/s. This is a "
               "projection, not a measurement: it assumes a ring with the link measured between %4 "
               "processes (%5 µs a message, %6 a second; the fit is off by %7).")
        .arg(numberText(projection->processes, locale), numberText(projection->microBatchSize, locale),
             rateText(projection->samplesPerSecond, locale), numberText(link.processes, locale),
             locale.toString(1e6 * link.alphaSeconds, 'f', 0),
             memoryText(1.0 / std::max(link.betaSecondsPerByte, 1e-15), locale),
             percentText(link.relativeError, locale, 0));
}

} // namespace batchpeak::engine
