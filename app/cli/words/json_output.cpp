// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_output.h"

#include "config_output.h"
#include "config_text.h"
#include "engine/event_log.h"
#include "history/stored_snapshot.h"
#include "model/architecture_fields.h"
#include "model/parameter_table.h"
#include "options.h"
#include "options/tuning_choice.h"
#include "text/json_fields.h"
#include "text/json_text.h"
#include "text/tuning_text.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

namespace batchpeak::cli {

namespace {

using engine::eventNumber;
using engine::orNull;
using engine::textOrNull;

QJsonValue textOrNull(const std::string& text)
{
    return textOrNull(QString::fromStdString(text));
}

QJsonValue positiveOrNull(std::int64_t count)
{
    return count > 0 ? eventNumber(count) : QJsonValue();
}

QJsonValue orNull(const std::optional<bool>& value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

QJsonValue orNull(const std::optional<int>& value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

QJsonValue timeOf(const QDateTime& time)
{
    return time.toUTC().toString(Qt::ISODateWithMs);
}

QJsonObject architectureObject(model::ModelSpec spec)
{
    engine::JsonWriter fields;
    std::visit([&fields](auto& architecture) { model::visitFields(architecture, fields); },
               spec.architecture);
    return fields.object();
}

QJsonObject networkObject(const config::ConfigContents& contents, const model::Tuning& tuning)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    const auto* unsupported = std::get_if<config::UnsupportedModel>(&contents.model);
    const auto counts = spec ? model::parameterCounts(*spec, tuning) : model::ParameterCounts();
    return {
        {QStringLiteral("family"), spec ? QJsonValue(QString::fromStdString(spec->family)) : QJsonValue()},
        {QStringLiteral("model"), textOrNull(contents.modelSource)},
        {QStringLiteral("parameters"), positiveOrNull(counts.all())},
        {QStringLiteral("trained_parameters"), positiveOrNull(counts.trained)},
        {QStringLiteral("architecture"), spec ? QJsonValue(architectureObject(*spec)) : QJsonValue()},
        {QStringLiteral("problem"), unsupported ? textOrNull(unsupported->sentence) : QJsonValue()}};
}

QJsonValue planObject(const std::optional<config::BatchPlan>& plan)
{
    if (!plan)
        return {};
    const bool isWhole = std::holds_alternative<config::Whole>(plan->setting);
    const auto size = isWhole ? std::optional(plan->perDeviceBatch()) : plan->writtenSize();
    return QJsonObject{
        {QStringLiteral("batch_size"), eventNumber(plan->globalBatchSize)},
        {QStringLiteral("batch_size_key"), QString::fromStdString(plan->globalBatchKey)},
        {QStringLiteral("devices"), plan->knowsDevices ? eventNumber(plan->devices) : QJsonValue()},
        {QStringLiteral("over_all_devices"), plan->isOverAllDevices},
        {QStringLiteral("per_device_batch"), eventNumber(plan->perDeviceBatch())},
        {QStringLiteral("setting"), QString::fromStdString(config::toText(plan->setting))},
        {QStringLiteral("micro_batch_size"), orNull(size)},
        {QStringLiteral("micro_batch_size_key"), QString::fromStdString(plan->microBatchKey)},
        {QStringLiteral("accumulation_steps"),
         size ? eventNumber(plan->accumulationSteps(*size)) : QJsonValue()}};
}

QJsonObject trainingObject(const config::TrainingSettings& training)
{
    return {{QStringLiteral("halves_automatically"), training.halvesAutomatically},
            {QStringLiteral("uses_maximum"), training.usesMaximumBatchSize},
            {QStringLiteral("growth"), textOrNull(training.batchIncreaseFunction)},
            {QStringLiteral("weighs_tokens"), orNull(training.weighsTokens)},
            {QStringLiteral("accumulates"), orNull(training.accumulates)},
            {QStringLiteral("learning_rate"), orNull(training.learningRate)}};
}

/// Returns the places of the values that the config itself holds.
QJsonObject placesObject(const config::ConfigContents& contents)
{
    QJsonObject places;
    config::visitPlaces(contents.places, [&places](const char* name, const config::SourceLocation& place) {
        places.insert(QString::fromUtf8(name),
                      QJsonObject{{QStringLiteral("key"), QString::fromStdString(place.key)},
                                  {QStringLiteral("line"), positiveOrNull(place.position.line)},
                                  {QStringLiteral("column"), positiveOrNull(place.position.column)},
                                  {QStringLiteral("in_model"), place.isInModelSource}});
    });
    return places;
}

QJsonArray warningsOf(const config::ConfigContents& contents)
{
    QJsonArray warnings;
    for (const config::Warning& warning : contents.warnings)
        warnings.append(QJsonObject{{QStringLiteral("text"), QString::fromStdString(warning.sentence)},
                                    {QStringLiteral("approximation"), textOrNull(warning.approximation)},
                                    {QStringLiteral("line"), positiveOrNull(warning.position.line)},
                                    {QStringLiteral("column"), positiveOrNull(warning.position.column)}});
    return warnings;
}

QJsonValue objectOf(const model::StepMemory& memory)
{
    return QJsonObject{{QStringLiteral("weight_bytes"), memory.parameterBytes},
                       {QStringLiteral("gradient_bytes"), memory.gradientBytes},
                       {QStringLiteral("optimizer_bytes"), memory.optimizerBytes},
                       {QStringLiteral("constant_bytes"), memory.constantBytes},
                       {QStringLiteral("bytes_per_sample"), memory.bytesPerSample}};
}

/// Returns the fidelity to the run that trials of a phase would have, and the memory that they would need;
/// null if there are no trials.
QJsonValue trialsObject(const QString& path, const config::ConfigContents& contents,
                        engine::ExplorationOptions options, model::Phase phase)
{
    if (!contents.plan(phase) && !contents.isNetworkAlone())
        return {};
    options.phase = phase;
    try {
        const engine::NetworkPlan plan = planHere(path, contents, options);
        const auto memory = engine::stepMemoryOf(plan.load, options);
        QJsonObject trials{{QStringLiteral("memory"), memory ? objectOf(*memory) : QJsonValue()}};
        engine::addFidelity(trials, plan.run.fidelity);
        return trials;
    } catch (const config::ConfigError&) {
        return {};
    }
}

QJsonValue tuningValue(const model::Tuning& tuning)
{
    const QJsonObject object = engine::tuningObject(tuning);
    return object.isEmpty() ? QJsonValue() : QJsonValue(object);
}

QJsonObject deviceObject(const device::LocalDevice& device)
{
    const auto readings = device.uuid.empty() ? device::DeviceReadings{} : device::readingsOf(device.uuid);
    return {{QStringLiteral("id"), QString::fromStdString(device.id())},
            {QStringLiteral("kind"), QString::fromStdString(device.kind)},
            {QStringLiteral("name"), QString::fromStdString(device.name)},
            {QStringLiteral("uuid"), textOrNull(device.uuid)},
            {QStringLiteral("total_bytes"), positiveOrNull(device.totalBytes)},
            {QStringLiteral("free_bytes"), positiveOrNull(device.freeBytes)},
            {QStringLiteral("driver"), textOrNull(device.driver)},
            {QStringLiteral("clock_megahertz"), orNull(readings.clockMegahertz)},
            {QStringLiteral("max_clock_megahertz"), orNull(readings.maxClockMegahertz)},
            {QStringLiteral("utilization_percent"), orNull(readings.utilizationPercent)},
            {QStringLiteral("temperature_celsius"), orNull(readings.temperatureCelsius)}};
}

QJsonObject recommendationObject(const store::RecommendationRecord& recommendation)
{
    return {{QStringLiteral("micro_batch_size"), recommendation.microBatchSize},
            {QStringLiteral("relative_performance"), recommendation.relativePerformance},
            {QStringLiteral("confidence"), recommendation.confidence},
            {QStringLiteral("expected_loss"), orNull(recommendation.expectedLoss)},
            {QStringLiteral("samples_per_second"), recommendation.samplesPerSecond},
            {QStringLiteral("relative_error"), recommendation.relativeError},
            {QStringLiteral("reason"), textOrNull(recommendation.reason)}};
}

} // namespace

void addJsonOption(Options& options, bool& asJson)
{
    options.addFlag("--json", "Print one JSON document, for programs", asJson);
}

void printJson(const QJsonObject& document)
{
    printBytes(engine::jsonText(document, QJsonDocument::Indented).toStdString());
}

QJsonObject contentsObject(const QString& path, const config::ConfigContents& contents,
                           const engine::ExplorationOptions& options)
{
    const model::Tuning tuning = engine::chooseTuning(contents, options);
    return {{QStringLiteral("file"), path},
            {QStringLiteral("format"), QString::fromStdString(contents.formatName)},
            {QStringLiteral("network"), networkObject(contents, tuning)},
            {QStringLiteral("tuning"), tuningValue(tuning)},
            {QStringLiteral("precision"), engine::enumText(contents.precision)},
            {QStringLiteral("optimizer"), engine::enumText(contents.optimizer)},
            {QStringLiteral("sequence_length"), positiveOrNull(contents.sequenceLength)},
            {QStringLiteral("target_length"), orNull(contents.targetLength)},
            {QStringLiteral("train"), planObject(contents.train)},
            {QStringLiteral("eval"), planObject(contents.eval)},
            {QStringLiteral("train_trials"), trialsObject(path, contents, options, model::Phase::Train)},
            {QStringLiteral("eval_trials"), trialsObject(path, contents, options, model::Phase::Eval)},
            {QStringLiteral("training"), trainingObject(contents.training)},
            {QStringLiteral("places"), placesObject(contents)},
            {QStringLiteral("warnings"), warningsOf(contents)}};
}

QJsonObject devicesObject(const device::LocalDevices& devices)
{
    QJsonArray all;
    for (const device::LocalDevice& device : devices.devices)
        all.append(deviceObject(device));
    return {{QStringLiteral("devices"), all},
            {QStringLiteral("gpu_problem"), textOrNull(devices.gpuProblem)},
            {QStringLiteral("restriction"), textOrNull(devices.restriction)}};
}

QJsonObject summaryObject(const store::ExplorationSummary& summary)
{
    const store::ExplorationInfo& info = summary.info;
    const auto& end = summary.end;
    const auto& best = summary.recommendation;
    QJsonObject object{
        {QStringLiteral("id"), summary.id},
        {QStringLiteral("started"), timeOf(info.started)},
        {QStringLiteral("finished"), end ? timeOf(end->finished) : QJsonValue()},
        {QStringLiteral("status"), end ? QJsonValue(end->status) : QJsonValue()},
        {QStringLiteral("failure"), end ? textOrNull(end->failure) : QJsonValue()},
        {QStringLiteral("ending"), end ? textOrNull(end->ending) : QJsonValue()},
        {QStringLiteral("wall_seconds"),
         end ? QJsonValue(static_cast<double>(info.started.msecsTo(end->finished)) / 1000.0) : QJsonValue()},
        {QStringLiteral("file"), info.filePath},
        {QStringLiteral("format"), info.formatName},
        {QStringLiteral("family"), info.family},
        {QStringLiteral("parameters"), positiveOrNull(info.parameters)},
        {QStringLiteral("trained_parameters"), positiveOrNull(info.parameters - info.frozenParameters)},
        {QStringLiteral("tuning"), tuningValue(engine::tuningFromRecord(info.tuning))},
        {QStringLiteral("phase"), info.phase},
        {QStringLiteral("precision"), info.precision},
        {QStringLiteral("optimizer"), info.optimizer},
        {QStringLiteral("sequence_length"), positiveOrNull(info.sequenceLength)},
        {QStringLiteral("batch_size"), info.globalBatchSize},
        {QStringLiteral("devices"), info.configDevices},
        {QStringLiteral("setting"), info.setting},
        {QStringLiteral("objective"), info.objective},
        {QStringLiteral("strategy"), info.strategy},
        {QStringLiteral("tolerance"), info.tolerance},
        {QStringLiteral("version"), textOrNull(info.version)},
        {QStringLiteral("trials"), summary.trials},
        {QStringLiteral("recommendation"), best ? QJsonValue(recommendationObject(*best)) : QJsonValue()}};
    engine::addFidelity(object, engine::fidelityOf(info.fidelity));
    return object;
}

namespace {

QString levelWord(int level)
{
    constexpr std::array words{"info", "warning", "error"};
    return QString::fromLatin1(words[static_cast<std::size_t>(std::clamp(level, 0, 2))]);
}

} // namespace

QJsonObject explorationObject(const store::StoredExploration& exploration)
{
    QJsonArray devices;
    for (const store::DeviceRecord& device : exploration.devices)
        devices.append(QJsonObject{{QStringLiteral("id"), device.id},
                                   {QStringLiteral("name"), device.name},
                                   {QStringLiteral("program"), textOrNull(device.program)},
                                   {QStringLiteral("total_bytes"), positiveOrNull(device.totalBytes)},
                                   {QStringLiteral("limit_bytes"), positiveOrNull(device.limitBytes)},
                                   {QStringLiteral("framework"), textOrNull(device.framework)},
                                   {QStringLiteral("uuid"), textOrNull(device.uuid)},
                                   {QStringLiteral("driver"), textOrNull(device.driver)}});
    QJsonArray trials;
    const config::Fidelity fidelity = engine::fidelityOf(exploration.summary.info.fidelity);
    for (const trial::TrialRecord& trial : exploration.trials) {
        QJsonObject fields = engine::eventFields(trial);
        fields.insert(QStringLiteral("fidelity"), engine::fidelityWord(fidelity));
        fields.insert(QStringLiteral("memory_fidelity"), engine::memoryFidelityWord(fidelity));
        trials.append(fields);
    }
    QJsonArray recommendations;
    for (const store::RecommendationRecord& recommendation : exploration.recommendations)
        recommendations.append(recommendationObject(recommendation));

    QJsonArray calls;
    for (const QByteArray& call : exploration.searchCalls)
        calls.append(QJsonDocument::fromJson(call).object());
    QJsonArray log;
    for (const store::LogRecord& line : exploration.log)
        log.append(QJsonObject{{QStringLiteral("time"), timeOf(line.time)},
                               {QStringLiteral("level"), levelWord(line.level)},
                               {QStringLiteral("text"), line.text}});

    const store::ExplorationInfo& info = exploration.summary.info;
    QJsonObject object = summaryObject(exploration.summary);
    object.insert(QStringLiteral("config_sha256"), textOrNull(info.configHash));
    object.insert(QStringLiteral("command"), QJsonArray::fromStringList(info.command));
    object.insert(QStringLiteral("headroom"), info.headroom);
    object.insert(QStringLiteral("search_space"), QJsonDocument::fromJson(exploration.searchSpace).object());
    object.insert(QStringLiteral("search_calls"), calls);
    object.insert(QStringLiteral("log"), log);
    object.insert(QStringLiteral("devices_used"), devices);
    object.insert(QStringLiteral("trials_run"), trials);
    object.insert(QStringLiteral("recommendations"), recommendations);
    return object;
}

} // namespace batchpeak::cli
