// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history_text.h"

#include "engine/log_text.h"
#include "history/stored_snapshot.h"
#include "snapshot/ending_text.h"
#include "terminal_text.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"
#include "text/json_fields.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"

#include <QFileInfo>

#include <algorithm>

namespace batchpeak::cli {

namespace {

using Rows = std::vector<QStringList>;

const QString noCell = QStringLiteral("-");

QString timeText(const QDateTime& time)
{
    return time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

// An exploration without an end still runs in another program, or that program was killed.
QString statusText(const store::ExplorationSummary& summary)
{
    return summary.end ? summary.end->status : QStringLiteral("not finished");
}

QString sizeText(const store::ExplorationSummary& summary)
{
    return summary.recommendation ? QString::number(summary.recommendation->microBatchSize) : noCell;
}

config::Fidelity fidelityOf(const store::ExplorationSummary& summary)
{
    return engine::fidelityOf(summary.info.fidelity);
}

QString recommendedRateText(const store::ExplorationSummary& summary)
{
    return summary.recommendation
               ? engine::speedMark(fidelityOf(summary)) + rateText(summary.recommendation->samplesPerSecond)
               : noCell;
}

QString orNothing(const QString& text)
{
    return text.isEmpty() ? noCell : text;
}

/// Returns the adapters, and the parts that are trained in addition or instead.
QString trainedText(const model::Tuning& tuning)
{
    QStringList what{engine::adapterText(tuning, QLocale::c()), engine::trainedPartsText(tuning)};
    what.removeAll(QString());
    return what.isEmpty() ? QStringLiteral("all") : what.join(QStringLiteral("; "));
}

QString confidenceText(const store::ExplorationSummary& summary)
{
    return summary.recommendation ? QStringLiteral("%1 %").arg(summary.recommendation->confidence) : noCell;
}

QString expectedLossText(const store::ExplorationSummary& summary)
{
    const auto& recommendation = summary.recommendation;
    const QString loss = engine::expectedLossText(
        recommendation ? recommendation->expectedLoss.value_or(0.0) : 0.0, QLocale::c());
    return loss.isEmpty() ? noCell : loss;
}

QString markedPeak(std::int64_t bytes, const config::Fidelity& fidelity)
{
    return bytes > 0 ? engine::memoryMark(fidelity) + bytesText(bytes) : noCell;
}

/// Returns the largest peak memory of the trials of the recommended size.
QString peakText(const store::StoredExploration& exploration)
{
    std::int64_t peak = 0;
    for (const trial::TrialRecord& trial : exploration.trials) {
        const auto& recommended = exploration.summary.recommendation;
        if (recommended && trial.microBatchSize == recommended->microBatchSize)
            peak = std::max(peak, trial.peakReservedBytes.value_or(0));
    }
    return markedPeak(peak, fidelityOf(exploration.summary));
}

QString energyText(const std::optional<double>& joulesPerSample, const config::Fidelity& fidelity)
{
    return joulesPerSample
               ? engine::speedMark(fidelity) + engine::energyPerSampleText(*joulesPerSample, QLocale::c())
               : noCell;
}

/// Returns the energy per sample over all undisturbed trials of the recommended size.
QString recommendedEnergyText(const store::StoredExploration& exploration)
{
    double joulesPerSample = 0.0;
    int steps = 0;
    for (const trial::TrialRecord& trial : exploration.trials) {
        const auto& recommended = exploration.summary.recommendation;
        if (!recommended || trial.microBatchSize != recommended->microBatchSize || !trial.joulesPerSample ||
            trial.disturbed)
            continue;
        joulesPerSample += *trial.joulesPerSample * trial.timedSteps;
        steps += trial.timedSteps;
    }
    return energyText(steps > 0 ? std::optional(joulesPerSample / steps) : std::nullopt,
                      fidelityOf(exploration.summary));
}

/// ", attention by flash" for the trials on that device; lists several kernels if sizes use different ones.
QString attentionText(const store::StoredExploration& exploration, const QString& device)
{
    QStringList kernels;
    for (const trial::TrialRecord& trial : exploration.trials) {
        if (device == QString::fromStdString(trial.device) && !trial.attention.empty())
            kernels << QString::fromStdString(trial.attention);
    }
    kernels.removeDuplicates();
    return kernels.isEmpty() ? QString()
                             : QStringLiteral(", attention by %1").arg(kernels.join(QStringLiteral(" and ")));
}

QString devicesText(const store::StoredExploration& exploration)
{
    QStringList devices;
    for (const store::DeviceRecord& device : exploration.devices) {
        devices << QStringLiteral("%1 (%2, limit %3%4)")
                       .arg(device.id, device.name, bytesText(device.limitBytes),
                            attentionText(exploration, device.id));
    }
    return devices.isEmpty() ? noCell : devices.join(QStringLiteral("; "));
}

QString wallText(const store::ExplorationSummary& summary)
{
    if (!summary.end)
        return noCell;
    return durationText(static_cast<double>(summary.info.started.msecsTo(summary.end->finished)) / 1000.0);
}

/// Returns the description of an exploration, one row for each property, so that two explorations can be
/// shown side by side.
Rows propertyRows(const store::StoredExploration& exploration)
{
    const store::ExplorationSummary& summary = exploration.summary;
    const store::ExplorationInfo& info = summary.info;
    const model::Tuning tuning = engine::tuningFromRecord(info.tuning);
    return {
        {QStringLiteral("exploration"), QString::number(summary.id)},
        {QStringLiteral("started"), timeText(info.started)},
        {QStringLiteral("status"), statusText(summary)},
        {QStringLiteral("config"), info.filePath},
        {QStringLiteral("format"), info.formatName},
        {QStringLiteral("network"),
         info.family + QStringLiteral(", ") + parametersText(info.parameters, info.frozenParameters)},
        {QStringLiteral("trained"), trainedText(tuning)},
        {QStringLiteral("frozen weights"), orNothing(engine::frozenWeightsText(tuning))},
        {QStringLiteral("quantization-aware"), orNothing(engine::fakeQuantizationText(tuning, QLocale::c()))},
        {QStringLiteral("run"),
         QStringLiteral("%1, %2, %3%4")
             .arg(info.phase, info.precision, info.optimizer, sequenceLengthText(info.sequenceLength))},
        {QStringLiteral("batch_size"), QString::number(info.globalBatchSize)},
        {QStringLiteral("setting"),
         QStringLiteral("%1, objective %2, strategy %3").arg(info.setting, info.objective, info.strategy)},
        {QStringLiteral("devices"), devicesText(exploration)},
        {QStringLiteral("trials"), QString::number(summary.trials)},
        {QStringLiteral("took"), wallText(summary)},
        {QStringLiteral("micro_batch_size"), sizeText(summary)},
        {QStringLiteral("samples/s"), recommendedRateText(summary)},
        {QStringLiteral("measured"), engine::fidelityText(fidelityOf(summary))},
        {QStringLiteral("confidence"), confidenceText(summary)},
        {QStringLiteral("expected loss"), expectedLossText(summary)},
        {QStringLiteral("peak memory"), peakText(exploration)},
        {QStringLiteral("energy"), recommendedEnergyText(exploration)}};
}

/// Returns the sizes of a comparison with the speed of each; the last column holds its result before its
/// flags.
QStringList comparisonRow(const trial::TrialRecord& trial, const config::Fidelity& fidelity)
{
    QStringList sizes;
    QStringList rates;
    std::int64_t peak = 0;
    for (const trial::ComparedRecord& size : trial.compared) {
        sizes << QString::number(size.microBatchSize);
        rates << (size.samplesPerSecond ? engine::speedMark(fidelity) + rateText(*size.samplesPerSecond)
                                        : noCell);
        peak = std::max(peak, size.peakReservedBytes.value_or(0));
    }
    return {QString::number(trial.number),
            QString::fromStdString(trial.device),
            sizes.join(QLatin1Char(' ')),
            engine::enumText(*trial.outcome),
            rates.join(QLatin1Char(' ')),
            markedPeak(peak, fidelity),
            noCell,
            durationText(trial.wallSeconds),
            (QStringList(engine::comparedText(trial, QLocale::c())) + engine::flagsOf(trial))
                .join(QStringLiteral(", "))};
}

QStringList trialRow(const trial::TrialRecord& trial, const config::Fidelity& fidelity)
{
    if (trial.isComparison())
        return comparisonRow(trial, fidelity);
    return {QString::number(trial.number),
            QString::fromStdString(trial.device),
            QString::number(trial.microBatchSize),
            engine::enumText(*trial.outcome),
            trial.samplesPerSecond ? engine::speedMark(fidelity) + rateText(*trial.samplesPerSecond) : noCell,
            markedPeak(trial.peakReservedBytes.value_or(0), fidelity),
            energyText(trial.joulesPerSample, fidelity),
            durationText(trial.wallSeconds),
            engine::flagsOf(trial).join(QStringLiteral(", "))};
}

} // namespace

QStringList historyLines(const std::vector<store::ExplorationSummary>& explorations)
{
    if (explorations.empty())
        return {QStringLiteral("The history has no explorations yet; run `batchpeak explore FILE`.")};
    Rows rows{{QStringLiteral("ID"), QStringLiteral("STARTED"), QStringLiteral("CONFIG"),
               QStringLiteral("PHASE"), QStringLiteral("STATUS"), QStringLiteral("SIZE"),
               QStringLiteral("SAMPLES/S"), QStringLiteral("CONFIDENCE"), QStringLiteral("TRIALS")}};
    for (const store::ExplorationSummary& summary : explorations) {
        rows.push_back({QString::number(summary.id), timeText(summary.info.started),
                        QFileInfo(summary.info.filePath).fileName(), summary.info.phase, statusText(summary),
                        sizeText(summary), recommendedRateText(summary), confidenceText(summary),
                        QString::number(summary.trials)});
    }
    return alignedLines(rows);
}

QStringList explorationLines(const store::StoredExploration& exploration)
{
    QStringList lines = alignedLines(propertyRows(exploration));
    const store::ExplorationSummary& summary = exploration.summary;
    if (summary.recommendation && !summary.recommendation->reason.isEmpty())
        lines << summary.recommendation->reason;
    if (summary.end && !summary.end->ending.isEmpty())
        lines << summary.end->ending;
    if (summary.end && !summary.end->failure.isEmpty())
        lines << summary.end->failure;
    if (exploration.trials.empty())
        return lines;
    Rows rows{{QStringLiteral("TRIAL"), QStringLiteral("DEVICE"), QStringLiteral("SIZE"),
               QStringLiteral("OUTCOME"), QStringLiteral("SAMPLES/S"), QStringLiteral("PEAK"),
               QStringLiteral("ENERGY"), QStringLiteral("TOOK"), QStringLiteral("FLAGS")}};
    for (const trial::TrialRecord& trial : exploration.trials)
        rows.push_back(trialRow(trial, fidelityOf(summary)));
    return lines << QString() << alignedLines(rows);
}

std::optional<double> speedRatio(const store::StoredExploration& first,
                                 const store::StoredExploration& second)
{
    const auto& one = first.summary.recommendation;
    const auto& other = second.summary.recommendation;
    if (!one || !other || one->samplesPerSecond <= 0.0)
        return std::nullopt;
    return other->samplesPerSecond / one->samplesPerSecond;
}

bool haveSameLabel(const store::StoredExploration& first, const store::StoredExploration& second)
{
    return first.summary.info.fidelity == second.summary.info.fidelity;
}

QStringList comparisonLines(const store::StoredExploration& first, const store::StoredExploration& second)
{
    Rows rows = propertyRows(first);
    const Rows others = propertyRows(second);
    for (std::size_t row = 0; row < rows.size(); ++row)
        rows[row] << others[row].back();
    QStringList lines = alignedLines(rows);
    if (const auto ratio = speedRatio(first, second)) {
        lines << QStringLiteral("Exploration %1 reached %2 times the samples/s of exploration %3.")
                     .arg(QString::number(second.summary.id), QString::number(*ratio, 'f', 2),
                          QString::number(first.summary.id));
        if (!haveSameLabel(first, second))
            lines << QStringLiteral("They do not match their configs equally closely (row \"measured\"), so "
                                    "the ratio compares different runs.");
    }
    return lines;
}

} // namespace batchpeak::cli
