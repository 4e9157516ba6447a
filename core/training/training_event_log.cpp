// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_event_log.h"

#include "text/json_fields.h"

#include <algorithm>
#include <variant>

namespace batchpeak::training {

using engine::eventNumber;
using engine::orNull;
using engine::textOrNull;

namespace {

/// Returns the highest peak of the steps done; nothing before the first step.
std::optional<std::int64_t> peakReservedBytes(const TrainingSnapshot& snapshot)
{
    std::optional<std::int64_t> peak;
    for (const StepRecord& step : snapshot.steps)
        peak = std::max(peak.value_or(0), step.peakReservedBytes);
    return peak;
}

/// Returns the number of held-out samples; null if it depends on the data, 0 if there are none.
QJsonValue heldOutSamples(const TrainingDescription& training)
{
    const trial::DataChoice& data = training.dataChoice;
    if (data.kind != trial::DataKind::Synthetic && data.heldOut.samples == 0 && data.heldOut.share > 0.0)
        return {};
    return eventNumber(std::max(training.heldOutSamples, data.heldOut.samples));
}

} // namespace

TrainingEventLog::TrainingEventLog(const TrainingRun& run, QIODevice& device, QObject* parent)
    : QObject(parent), m_run(run), m_lines(device, [this](const QString& problem) { emit failed(problem); })
{
    connect(&run, &TrainingRun::occurred, this, [this](const TrainingEvent& event) {
        std::visit([this](const auto& occurred) { write(occurred); }, event);
    });
}

void TrainingEventLog::write(const engine::Started& /*started*/)
{
    const TrainingSnapshot& snapshot = m_run.snapshot();
    const TrainingDescription& training = *snapshot.run;
    const engine::RunDescription& run = training.run;
    const trial::DataChoice& data = training.dataChoice;
    const bool isSynthetic = data.kind == trial::DataKind::Synthetic;
    QJsonObject fields{
        {QStringLiteral("schema"), engine::eventsSchema},
        {QStringLiteral("file"), run.filePath},
        {QStringLiteral("format"), run.formatName},
        {QStringLiteral("family"), run.family},
        {QStringLiteral("model"), textOrNull(run.modelSource)},
        {QStringLiteral("setting"), QString::fromStdString(config::toText(run.plan.setting))},
        {QStringLiteral("data"), engine::enumText(data.kind)},
        {QStringLiteral("data_path"), textOrNull(QString::fromStdString(data.path))},
        {QStringLiteral("data_samples"), isSynthetic ? eventNumber(data.samples) : QJsonValue()},
        {QStringLiteral("held_out_share"), data.heldOut.samples == 0 && data.heldOut.share > 0.0
                                               ? QJsonValue(data.heldOut.share)
                                               : QJsonValue()},
        {QStringLiteral("held_out_samples"), heldOutSamples(training)},
        {QStringLiteral("batch_size"), eventNumber(training.batchSize)},
        {QStringLiteral("micro_batch_size"), eventNumber(snapshot.microBatchSize)},
        {QStringLiteral("halves_automatically"), training.halvesAutomatically},
        {QStringLiteral("maximum"), training.maximum ? QJsonValue(toText(*training.maximum)) : QJsonValue()},
        {QStringLiteral("growth"), textOrNull(training.growth)},
        {QStringLiteral("optimizer"), engine::enumText(run.optimizer)},
        {QStringLiteral("precision"), engine::enumText(run.precision)},
        {QStringLiteral("sequence_length"), eventNumber(run.sequenceLength)},
        {QStringLiteral("learning_rate"), training.learningRate},
        {QStringLiteral("weighting"), engine::enumText(training.weighting)},
        {QStringLiteral("first_step"), eventNumber(training.firstStep)},
        {QStringLiteral("steps"), training.steps > 0 ? eventNumber(training.steps) : QJsonValue()}};
    engine::addParameters(fields, run);
    engine::addFidelity(fields, run.fidelity);
    m_lines.write(QStringLiteral("training_started"), fields);
}

void TrainingEventLog::write(const engine::DeviceReady& ready)
{
    m_lines.write(QStringLiteral("device"), engine::eventFields(ready.device));
}

void TrainingEventLog::write(const MaximumFound& maximum)
{
    m_lines.write(QStringLiteral("maximum_found"),
                  {{QStringLiteral("way"), toText(maximum.way)},
                   {QStringLiteral("measured"), eventNumber(maximum.measured)},
                   {QStringLiteral("used"), eventNumber(maximum.used)},
                   {QStringLiteral("trials"), maximum.trials},
                   {QStringLiteral("out_of_memory_events"), maximum.outOfMemoryEvents},
                   {QStringLiteral("wall_seconds"), maximum.seconds},
                   {QStringLiteral("recommended"),
                    maximum.recommended > 0 ? eventNumber(maximum.recommended) : QJsonValue()}});
}

void TrainingEventLog::write(const EpochBegan& began)
{
    const ScheduleEntry& entry = began.entry;
    m_lines.write(QStringLiteral("epoch"),
                  {{QStringLiteral("epoch"), eventNumber(entry.epoch)},
                   {QStringLiteral("step"), eventNumber(entry.step)},
                   {QStringLiteral("increment"), eventNumber(entry.increment)},
                   {QStringLiteral("decision"), toText(entry.decision)},
                   {QStringLiteral("micro_batch_size"), eventNumber(entry.microBatchSize)},
                   {QStringLiteral("batch_size"), eventNumber(entry.batchSize)}});
}

void TrainingEventLog::writeStep(const QString& event, const StepRecord& step)
{
    QJsonObject fields{
        {QStringLiteral("step"), eventNumber(step.step)},
        {QStringLiteral("epoch"), eventNumber(step.epoch)},
        {QStringLiteral("batch_size"), eventNumber(step.batchSize)},
        {QStringLiteral("micro_batch_size"), eventNumber(step.microBatchSize)},
        {QStringLiteral("accumulation_steps"), eventNumber(step.accumulationSteps)},
        {QStringLiteral("loss"), orNull(std::optional(step.loss))},
        {QStringLiteral("seconds"), step.seconds},
        {QStringLiteral("samples_per_second"), step.samplesPerSecond},
        {QStringLiteral("tokens_per_second"),
         step.tokensPerSecond > 0 ? QJsonValue(step.tokensPerSecond) : QJsonValue()},
        {QStringLiteral("peak_allocated_bytes"), eventNumber(step.peakAllocatedBytes)},
        {QStringLiteral("peak_reserved_bytes"), eventNumber(step.peakReservedBytes)},
        {QStringLiteral("allocation_retries"), eventNumber(step.allocationRetries)},
        {QStringLiteral("attempts"), step.attempts},
        {QStringLiteral("fidelity"), engine::fidelityWord(m_run.snapshot().run->run.fidelity)},
        {QStringLiteral("memory_fidelity"), engine::memoryFidelityWord(m_run.snapshot().run->run.fidelity)}};
    if (step.phase == model::Phase::Train) {
        const double predicted = step.predictedSamplesPerSecond;
        fields.insert(QStringLiteral("optimizer_seconds"), step.optimizerSeconds);
        fields.insert(QStringLiteral("predicted_samples_per_second"),
                      predicted > 0.0 ? QJsonValue(predicted) : QJsonValue());
    } else {
        fields.insert(QStringLiteral("held_out"), m_run.snapshot().run->heldOutSamples > 0);
    }
    m_lines.write(event, fields);
}

void TrainingEventLog::write(const SizeChange& change)
{
    m_lines.write(QStringLiteral("size_changed"), {{QStringLiteral("step"), eventNumber(change.step)},
                                                   {QStringLiteral("phase"), engine::enumText(change.phase)},
                                                   {QStringLiteral("from"), eventNumber(change.from)},
                                                   {QStringLiteral("to"), eventNumber(change.to)},
                                                   {QStringLiteral("reason"), toText(change.reason)}});
}

void TrainingEventLog::write(const CheckpointSaved& saved)
{
    m_lines.write(QStringLiteral("checkpoint"),
                  {{QStringLiteral("path"), saved.path}, {QStringLiteral("step"), eventNumber(saved.step)}});
}

void TrainingEventLog::write(const TrainingFinished& finished)
{
    const TrainingSnapshot& snapshot = m_run.snapshot();
    const auto& steps = snapshot.steps;
    const std::int64_t batchSize = steps.empty() ? snapshot.run->batchSize : steps.back().batchSize;
    const double speed = snapshot.samplesPerSecond;
    m_lines.write(
        QStringLiteral("training_finished"),
        {{QStringLiteral("status"), toText(finished.end)},
         {QStringLiteral("failure"), textOrNull(snapshot.failure)},
         {QStringLiteral("steps"), eventNumber(snapshot.lastStep())},
         {QStringLiteral("samples_per_second"), speed > 0 ? QJsonValue(speed) : QJsonValue()},
         {QStringLiteral("micro_batch_size"), eventNumber(snapshot.microBatchSize)},
         {QStringLiteral("batch_size"), eventNumber(batchSize)},
         {QStringLiteral("out_of_memory_events"), snapshot.outOfMemoryEvents},
         {QStringLiteral("peak_reserved_bytes"), orNull(peakReservedBytes(snapshot))},
         {QStringLiteral("checkpoint"), textOrNull(snapshot.checkpoint)},
         {QStringLiteral("wall_seconds"), snapshot.elapsedSeconds},
         {QStringLiteral("fidelity"), engine::fidelityWord(snapshot.run->run.fidelity)},
         {QStringLiteral("memory_fidelity"), engine::memoryFidelityWord(snapshot.run->run.fidelity)}});
}

QString writeConfirmation(QIODevice& device, const ConfirmationSnapshot& snapshot)
{
    QString problem;
    engine::EventLines lines(device, [&problem](const QString& text) { problem = text; });
    for (std::size_t place = 0; place < snapshot.sizes.size(); ++place) {
        const ConfirmedSize& size = snapshot.sizes[place];
        const std::int64_t peak = size.peakReservedBytes;
        lines.write(QStringLiteral("confirmation"),
                    {{QStringLiteral("schema"), engine::eventsSchema},
                     {QStringLiteral("micro_batch_size"), eventNumber(size.predicted.microBatchSize)},
                     {QStringLiteral("recommended"), place == 0},
                     {QStringLiteral("batch_size"), eventNumber(snapshot.batchSize)},
                     {QStringLiteral("accumulation_steps"), eventNumber(size.predicted.accumulationSteps)},
                     {QStringLiteral("steps"), size.steps},
                     {QStringLiteral("predicted_samples_per_second"), size.predicted.samplesPerSecond},
                     {QStringLiteral("predicted_relative_error"), size.predicted.relativeError},
                     {QStringLiteral("predicted_without_optimizer"), size.predicted.withoutOptimizer},
                     {QStringLiteral("achieved_samples_per_second"), orNull(size.achievedSamplesPerSecond)},
                     {QStringLiteral("relative_error"), orNull(size.relativeError)},
                     {QStringLiteral("mean_samples_per_second"), orNull(size.meanSamplesPerSecond)},
                     {QStringLiteral("miscorrelation"), orNull(size.miscorrelation())},
                     {QStringLiteral("peak_reserved_bytes"), peak > 0 ? eventNumber(peak) : QJsonValue()},
                     {QStringLiteral("out_of_memory"), size.ranOutOfMemory},
                     {QStringLiteral("fidelity"), engine::fidelityWord(snapshot.fidelity)},
                     {QStringLiteral("memory_fidelity"), engine::memoryFidelityWord(snapshot.fidelity)}});
    }
    return problem;
}

} // namespace batchpeak::training
