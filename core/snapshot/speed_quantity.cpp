// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "speed_quantity.h"

#include "device/peak_flops.h"
#include "search/throughput.h"
#include "text/readable_text.h"
#include "trial/step_statistics.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <utility>

namespace batchpeak::engine {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::SpeedQuantity)
};

/// Returns the peak [operations/s]; nothing if it is not known, or the device has no such arithmetic.
std::optional<double> peakOf(const DeviceSnapshot& device, model::Precision precision)
{
    const auto peak = device::peakFlopsOf(device.name.toStdString());
    double flops = 0.0;
    if (peak && precision == model::Precision::Fp32)
        flops = peak->fp32;
    else if (peak)
        flops = precision == model::Precision::Tf32 ? peak->tf32 : peak->bf16;
    return flops > 0.0 ? std::optional(flops) : std::nullopt;
}

/// Returns the percentage of the peak at one sample per second, for each device; empty unless all are known.
std::vector<std::pair<std::string, double>> utilizations(const Snapshot& snapshot)
{
    std::vector<std::pair<std::string, double>> shares;
    if (!snapshot.run || !snapshot.run->flopsPerSample)
        return {};
    for (const DeviceSnapshot& device : snapshot.devices) {
        const auto peak = peakOf(device, snapshot.run->productPrecision);
        if (!peak)
            return {};
        shares.emplace_back(device.id.toStdString(),
                            100.0 * *snapshot.run->flopsPerSample /
                                (*peak * static_cast<double>(snapshot.run->processes)));
    }
    return shares;
}

/// Whether the times of whole steps differ from what the trials already report.
bool hasEffectiveSpeed(const Snapshot& snapshot)
{
    return snapshot.run && snapshot.run->hasBatch && snapshot.run->phase == model::Phase::Train &&
           snapshot.run->objective == search::Objective::Micro &&
           std::ranges::any_of(snapshot.trials, [](const trial::TrialRecord& trial) {
               return trial.optimizerSeconds.value_or(0.0) > 0.0;
           });
}

bool isTold(SpeedQuantity quantity, const Snapshot& snapshot)
{
    switch (quantity) {
    case SpeedQuantity::SamplesPerSecond:
        break;
    case SpeedQuantity::TokensPerSecond:
        return snapshot.run && snapshot.run->tokensPerSample > 0.0;
    case SpeedQuantity::EffectiveSamplesPerSecond:
        return hasEffectiveSpeed(snapshot);
    case SpeedQuantity::JoulesPerSample:
        return std::ranges::any_of(snapshot.trials,
                                   [](const auto& trial) { return trial.joulesPerSample.has_value(); });
    case SpeedQuantity::ModelFlopUtilization:
        return !utilizations(snapshot).empty();
    }
    return true;
}

QString teraflopsText(double flops)
{
    const double tera = flops / 1e12;
    return QLocale().toString(tera, 'f', tera < 100.0 ? 1 : 0);
}

} // namespace

std::vector<SpeedQuantity> toldQuantities(const Snapshot& snapshot)
{
    std::vector<SpeedQuantity> told;
    for (const auto quantity : {SpeedQuantity::SamplesPerSecond, SpeedQuantity::TokensPerSecond,
                                SpeedQuantity::EffectiveSamplesPerSecond, SpeedQuantity::ModelFlopUtilization,
                                SpeedQuantity::JoulesPerSample}) {
        if (isTold(quantity, snapshot))
            told.push_back(quantity);
    }
    return told;
}

QString unitText(SpeedQuantity quantity)
{
    switch (quantity) {
    case SpeedQuantity::SamplesPerSecond:
        break;
    case SpeedQuantity::TokensPerSecond:
        return Words::tr("tokens/s");
    case SpeedQuantity::EffectiveSamplesPerSecond:
        return Words::tr("effective samples/s");
    case SpeedQuantity::JoulesPerSample:
        return Words::tr("J/sample");
    case SpeedQuantity::ModelFlopUtilization:
        return Words::tr("% of peak FLOPs");
    }
    return Words::tr("samples/s");
}

QString explanationText(SpeedQuantity quantity, const Snapshot& snapshot)
{
    const RunDescription run = snapshot.run.value_or(RunDescription{});
    switch (quantity) {
    case SpeedQuantity::SamplesPerSecond:
        break;
    case SpeedQuantity::TokensPerSecond:
        return Words::tr("Samples/s times the %1 tokens of a sample.")
            .arg(QLocale().toString(run.tokensPerSample, 'g', 6));
    case SpeedQuantity::EffectiveSamplesPerSecond:
        return Words::tr("Samples/s of whole optimizer steps at the config's batch: %1 samples per device, "
                         "divided by the time of their micro-batches and of the optimizer step.")
            .arg(numberText(run.plan.perDeviceBatch()));
    case SpeedQuantity::JoulesPerSample:
        return Words::tr("Measured energy of the whole device per sample; lower is better.");
    case SpeedQuantity::ModelFlopUtilization: {
        const auto peak =
            snapshot.devices.empty() ? std::nullopt : peakOf(snapshot.devices.front(), run.productPrecision);
        return Words::tr("Model FLOP utilization: the FLOP/s of the network as a share of the device's peak "
                         "of %1 TFLOP/s (data sheet).")
            .arg(teraflopsText(peak.value_or(0.0)));
    }
    }
    return run.objective == search::Objective::Micro
               ? Words::tr("Of micro-batches: forward and backward, without the optimizer step.")
               : Words::tr("Of whole optimizer steps at the config's batch.");
}

QString quantityText(SpeedQuantity quantity, double value, std::optional<double> relativeError,
                     const QLocale& locale)
{
    if (quantity == SpeedQuantity::JoulesPerSample)
        return energyPerSampleText(value, locale);
    return QStringLiteral("%1 %2").arg(rateText(value, relativeError, locale), unitText(quantity));
}

SpeedConversion::SpeedConversion(const Snapshot& snapshot, SpeedQuantity quantity) : m_quantity(quantity)
{
    switch (quantity) {
    case SpeedQuantity::SamplesPerSecond:
        m_factor = 1.0;
        break;
    case SpeedQuantity::TokensPerSecond:
        m_factor = snapshot.run ? snapshot.run->tokensPerSample : 0.0;
        break;
    case SpeedQuantity::EffectiveSamplesPerSecond:
        learnTimes(snapshot);
        break;
    case SpeedQuantity::JoulesPerSample:
        break;
    case SpeedQuantity::ModelFlopUtilization:
        m_factors = utilizations(snapshot);
        if (!m_factors.empty() && std::ranges::all_of(m_factors, [&](const auto& factor) {
                return factor.second == m_factors.front().second;
            }))
            m_factor = m_factors.front().second;
        break;
    }
}

void SpeedConversion::learnTimes(const Snapshot& snapshot)
{
    m_processes = snapshot.run ? static_cast<double>(snapshot.run->processes) : 1.0;
    m_batch = snapshot.run ? snapshot.run->plan.perDeviceBatch() : 1;
    std::map<std::int64_t, std::vector<double>> times;
    std::vector<double> optimizer;
    for (const trial::TrialRecord& trial : snapshot.trials) {
        if (trial.outcome != trial::Outcome::Ok)
            continue;
        const double reduction = trial.reductionSeconds.value_or(0.0);
        if (trial.secondsPerStep && !trial.isComparison())
            times[trial.microBatchSize].push_back(*trial.secondsPerStep - reduction);
        for (const trial::ComparedRecord& size : trial.compared) {
            if (size.secondsPerStep)
                times[size.microBatchSize].push_back(*size.secondsPerStep - reduction);
        }
        if (trial.optimizerSeconds.value_or(0.0) > 0.0)
            optimizer.push_back(*trial.optimizerSeconds + reduction);
    }
    m_optimizerSeconds = trial::typicalStepSeconds(optimizer).value_or(0.0);
    for (const auto& [size, seconds] : times) {
        m_sizes.push_back(size);
        m_seconds.push_back(*trial::typicalStepSeconds(seconds));
    }
}

std::optional<SpeedConversion::Speed> SpeedConversion::effective(const Measured& measured) const
{
    const double reduction = measured.reductionSeconds.value_or(0.0);
    const double optimizer =
        measured.optimizerSeconds ? *measured.optimizerSeconds + reduction : m_optimizerSeconds;
    if (!measured.secondsPerStep || m_sizes.empty() || optimizer <= 0.0)
        return std::nullopt;
    const search::Throughput throughput(
        {.objective = search::Objective::Effective, .perDeviceBatch = m_batch}, optimizer);
    const double typical = search::interpolatedSeconds(m_sizes, m_seconds, measured.size);
    const double rate = throughput.samplesPerSecond(measured.size, [&](std::int64_t samples) {
        return (*measured.secondsPerStep - reduction) *
               search::interpolatedSeconds(m_sizes, m_seconds, samples) / typical;
    });
    // The error of the micro-batches does not apply to the optimizer's part of the step.
    const double share = 1.0 - optimizer * rate / static_cast<double>(m_batch);
    return Speed{.value = m_processes * rate,
                 .relativeError =
                     measured.relativeError ? std::optional(*measured.relativeError * share) : std::nullopt};
}

std::optional<SpeedConversion::Speed> SpeedConversion::converted(const Measured& measured) const
{
    if (m_quantity == SpeedQuantity::EffectiveSamplesPerSecond)
        return effective(measured);
    const auto ofDevice =
        std::ranges::find(m_factors, measured.device, [](const auto& factor) { return factor.first; });
    const auto factor = ofDevice == m_factors.end() ? m_factor : std::optional(ofDevice->second);
    if (!measured.samplesPerSecond || !factor)
        return std::nullopt;
    return Speed{.value = *measured.samplesPerSecond * *factor, .relativeError = measured.relativeError};
}

std::optional<SpeedConversion::Speed> SpeedConversion::of(const trial::TrialRecord& trial) const
{
    if (m_quantity == SpeedQuantity::JoulesPerSample)
        return trial.joulesPerSample ? std::optional(Speed{.value = *trial.joulesPerSample}) : std::nullopt;
    return converted({.device = trial.device,
                      .size = trial.microBatchSize,
                      .samplesPerSecond = trial.samplesPerSecond,
                      .secondsPerStep = trial.secondsPerStep,
                      .optimizerSeconds = trial.optimizerSeconds,
                      .reductionSeconds = trial.reductionSeconds,
                      .relativeError = trial.relativeError});
}

std::optional<SpeedConversion::Speed> SpeedConversion::of(const trial::TrialRecord& comparison,
                                                          const trial::ComparedRecord& size,
                                                          std::optional<double> relativeError) const
{
    if (m_quantity == SpeedQuantity::JoulesPerSample)
        return std::nullopt;
    return converted({.device = comparison.device,
                      .size = size.microBatchSize,
                      .samplesPerSecond = size.samplesPerSecond,
                      .secondsPerStep = size.secondsPerStep,
                      .optimizerSeconds = comparison.optimizerSeconds,
                      .reductionSeconds = comparison.reductionSeconds,
                      .relativeError = relativeError});
}

} // namespace batchpeak::engine
