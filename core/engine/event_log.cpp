// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "event_log.h"

#include "log_text.h"
#include "model/word_table.h"

#include <QDateTime>
#include <QFileDevice>
#include <QJsonArray>
#include <QJsonDocument>

#include <cmath>
#include <string>
#include <variant>

namespace batchpeak::engine {

namespace {

using search::Objective;
using InstabilityCause = search::Instability::Cause;
using SpeedLimitKind = search::SpeedLimit::Kind;

constexpr model::WordTable<Objective, 2> objectives{
    {{Objective::Micro, "micro"}, {Objective::Effective, "effective"}}};
constexpr model::WordTable<InstabilityCause, 4> instabilityCauses{
    {{InstabilityCause::None, "none"},
     {InstabilityCause::Drift, "drift"},
     {InstabilityCause::Noise, "noise"},
     {InstabilityCause::OtherTenants, "other_tenants"}}};
constexpr model::WordTable<SpeedLimitKind, 5> speedLimitKinds{
    {{SpeedLimitKind::LaunchBound, "launch_bound"},
     {SpeedLimitKind::Saturated, "saturated"},
     {SpeedLimitKind::TileQuantised, "tile_quantised"},
     {SpeedLimitKind::MemoryThrashing, "memory_thrashing"},
     {SpeedLimitKind::Unknown, "unknown"}}};

/// The word of a value, as JSON has it.
template<typename Value, std::size_t size>
QString word(const model::WordTable<Value, size>& table, Value value)
{
    return QString::fromUtf8(model::wordFor(table, value));
}

QJsonValue objectOf(const search::SpeedLimit& limit)
{
    const bool hasPeriod = limit.period > 0;
    return QJsonObject{{QStringLiteral("kind"), word(speedLimitKinds, limit.kind)},
                       {QStringLiteral("probability"), limit.probability},
                       {QStringLiteral("overhead_share"), limit.overheadShare},
                       {QStringLiteral("doubling_gain"), limit.doublingGain},
                       {QStringLiteral("period"), hasPeriod ? eventNumber(limit.period) : QJsonValue()},
                       {QStringLiteral("jump"), hasPeriod ? QJsonValue(limit.jump) : QJsonValue()}};
}

QJsonValue objectOf(const Verification& verification)
{
    const std::int64_t peak = verification.peakReservedBytes;
    return QJsonObject{{QStringLiteral("micro_batch_size"), eventNumber(verification.size)},
                       {QStringLiteral("outcome"), toText(verification.outcome)},
                       {QStringLiteral("samples_per_second"), orNull(verification.samplesPerSecond)},
                       {QStringLiteral("peak_reserved_bytes"), peak > 0 ? eventNumber(peak) : QJsonValue()},
                       {QStringLiteral("spare_bytes"), orNull(verification.spareBytes)}};
}

std::int64_t smallestWithinTolerance(const search::Recommendation& recommendation)
{
    const std::int64_t smaller = recommendation.smallestWithinTolerance;
    return smaller > 0 ? smaller : recommendation.size;
}

} // namespace

void EventLines::write(const QString& event, QJsonObject fields)
{
    fields.insert(QStringLiteral("event"), event);
    fields.insert(QStringLiteral("time"), QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs));
    const QByteArray line = QJsonDocument(fields).toJson(QJsonDocument::Compact) + '\n';
    if (m_device.write(line) != line.size())
        m_problem = m_device.errorString();
    // A reader at the other end of a pipe wants each line as it comes.
    if (auto* file = qobject_cast<QFileDevice*>(&m_device))
        file->flush();
}

QJsonValue eventNumber(std::int64_t value)
{
    return {static_cast<qint64>(value)};
}

QJsonValue orNull(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? QJsonValue(*value) : QJsonValue();
}

QJsonValue orNull(const std::optional<std::int64_t>& value)
{
    return value ? eventNumber(*value) : QJsonValue();
}

QJsonValue textOrNull(const QString& text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

QJsonObject eventFields(const DeviceSnapshot& device)
{
    return {{QStringLiteral("id"), device.id},
            {QStringLiteral("kind"), device.kind},
            {QStringLiteral("name"), device.name},
            {QStringLiteral("total_bytes"), eventNumber(device.totalBytes)},
            {QStringLiteral("held_by_others_bytes"), eventNumber(device.heldByOthersBytes)},
            {QStringLiteral("limit_bytes"), eventNumber(device.limitBytes)}};
}

EventLog::EventLog(const Exploration& exploration, QIODevice& device, QObject* parent)
    : QObject(parent), m_exploration(exploration), m_lines(device)
{
    connect(&exploration, &Exploration::occurred, this, [this](const Event& event) {
        std::visit([this](const auto& occurred) { write(occurred); }, event);
    });
}

void EventLog::write(const Started& /*started*/)
{
    const RunDescription& run = *m_exploration.snapshot().run;
    m_lines.write(QStringLiteral("started"),
                  {{QStringLiteral("schema"), eventsSchema},
                   {QStringLiteral("file"), run.filePath},
                   {QStringLiteral("format"), run.formatName},
                   {QStringLiteral("family"), run.family},
                   {QStringLiteral("model"), textOrNull(run.modelSource)},
                   {QStringLiteral("parameters"), eventNumber(run.parameters)},
                   {QStringLiteral("batch_size"), eventNumber(run.plan.globalBatchSize)},
                   {QStringLiteral("devices"), eventNumber(run.plan.devices)},
                   {QStringLiteral("setting"), QString::fromStdString(config::toText(run.plan.setting))},
                   {QStringLiteral("phase"), QString::fromUtf8(model::toText(run.phase))},
                   {QStringLiteral("objective"), word(objectives, run.objective)},
                   {QStringLiteral("tolerance"), run.tolerance}});
}

void EventLog::write(const DeviceReady& ready)
{
    m_lines.write(QStringLiteral("device"), eventFields(ready.device));
}

void EventLog::write(const TrialStarted& started)
{
    const trial::TrialRecord& trial = started.trial;
    m_lines.write(QStringLiteral("trial_started"),
                  {{QStringLiteral("trial"), trial.number},
                   {QStringLiteral("device"), QString::fromStdString(trial.device)},
                   {QStringLiteral("micro_batch_size"), eventNumber(trial.microBatchSize)},
                   {QStringLiteral("predicted_fit"), trial.predictedFit},
                   {QStringLiteral("verification"), trial.isVerification}});
}

void EventLog::write(const TrialFinished& finished)
{
    const trial::TrialRecord& trial = finished.trial;
    m_lines.write(QStringLiteral("trial_finished"),
                  {{QStringLiteral("trial"), trial.number},
                   {QStringLiteral("device"), QString::fromStdString(trial.device)},
                   {QStringLiteral("micro_batch_size"), eventNumber(trial.microBatchSize)},
                   {QStringLiteral("outcome"), QString::fromUtf8(trial::toText(*trial.outcome))},
                   {QStringLiteral("seconds_per_step"), orNull(trial.secondsPerStep)},
                   {QStringLiteral("samples_per_second"), orNull(trial.samplesPerSecond)},
                   {QStringLiteral("relative_error"), orNull(trial.relativeError)},
                   {QStringLiteral("peak_allocated_bytes"), orNull(trial.peakAllocatedBytes)},
                   {QStringLiteral("peak_reserved_bytes"), orNull(trial.peakReservedBytes)},
                   {QStringLiteral("wall_seconds"), trial.wallSeconds},
                   {QStringLiteral("joules_per_sample"), orNull(trial.joulesPerSample)},
                   {QStringLiteral("repetition"), trial.repetition},
                   {QStringLiteral("flags"), QJsonArray::fromStringList(flagsOf(trial))},
                   {QStringLiteral("verification"), trial.isVerification}});
}

void EventLog::write(const RecommendationChanged& changed)
{
    const search::Recommendation& recommendation = changed.recommendation;
    m_lines.write(
        QStringLiteral("recommendation"),
        {{QStringLiteral("micro_batch_size"), eventNumber(recommendation.size)},
         {QStringLiteral("relative_performance"), recommendation.relativePerformance},
         {QStringLiteral("confidence"), recommendation.confidence},
         {QStringLiteral("samples_per_second"), recommendation.samplesPerSecond},
         {QStringLiteral("relative_error"), recommendation.relativeError},
         {QStringLiteral("reason"), m_exploration.snapshot().reason},
         {QStringLiteral("doubt"), word(instabilityCauses, recommendation.reason.instability.cause)},
         {QStringLiteral("smallest_within_tolerance"), eventNumber(smallestWithinTolerance(recommendation))},
         {QStringLiteral("speed_limit"), objectOf(m_exploration.snapshot().searchState.speedLimit)}});
}

void EventLog::write(const Finished& finished)
{
    const Snapshot& snapshot = m_exploration.snapshot();
    const auto& best = snapshot.searchState.recommendation;
    const QJsonValue absent;
    m_lines.write(
        QStringLiteral("finished"),
        {{QStringLiteral("status"), toText(finished.status)},
         {QStringLiteral("micro_batch_size"), best ? eventNumber(best->size) : absent},
         {QStringLiteral("relative_performance"), best ? QJsonValue(best->relativePerformance) : absent},
         {QStringLiteral("confidence"), best ? QJsonValue(best->confidence) : absent},
         {QStringLiteral("samples_per_second"), best ? QJsonValue(best->samplesPerSecond) : absent},
         {QStringLiteral("relative_error"), best ? QJsonValue(best->relativeError) : absent},
         {QStringLiteral("peak_reserved_bytes"), best ? eventNumber(snapshot.recommendedPeakBytes) : absent},
         {QStringLiteral("joules_per_sample"), best ? orNull(snapshot.recommendedJoulesPerSample) : absent},
         {QStringLiteral("accumulation_steps"), best ? eventNumber(snapshot.accumulationSteps) : absent},
         {QStringLiteral("trials"), static_cast<qint64>(snapshot.trials.size())},
         {QStringLiteral("wall_seconds"), snapshot.elapsedSeconds},
         {QStringLiteral("smallest_within_tolerance"),
          best ? eventNumber(smallestWithinTolerance(*best)) : absent},
         {QStringLiteral("speed_limit"), best ? objectOf(snapshot.searchState.speedLimit) : absent},
         {QStringLiteral("verification"),
          snapshot.verification ? objectOf(*snapshot.verification) : absent}});
}

} // namespace batchpeak::engine
