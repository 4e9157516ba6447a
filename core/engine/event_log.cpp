// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "event_log.h"

#include "log_text.h"
#include "model/enum_names.h"
#include "search_words.h"
#include "snapshot/ending_text.h"
#include "snapshot/projection.h"
#include "snapshot/unlike_devices.h"
#include "text/comparison_text.h"
#include "text/json_fields.h"
#include "text/json_text.h"
#include "text/tuning_text.h"
#include "trial/contrast.h"

#include <QDateTime>
#include <QFileDevice>
#include <QJsonArray>

#include <cmath>
#include <string>
#include <variant>

namespace batchpeak::engine {

namespace {

using CommandKind = Commanded::Kind;
constexpr model::EnumNames<CommandKind, 9> commandKinds{
    {{CommandKind::Pause, "pause"},
     {CommandKind::Resume, "resume"},
     {CommandKind::SkipTrial, "skip_trial"},
     {CommandKind::ExcludeSize, "exclude_size"},
     {CommandKind::AllowSize, "allow_size"},
     {CommandKind::TryNow, "try_now"},
     {CommandKind::Extend, "extend"},
     {CommandKind::SetTolerance, "set_tolerance"},
     {CommandKind::SetTargetConfidence, "set_confidence"}}};

/// Returns the word of a value, as it is written to JSON.
template<typename Value, std::size_t size>
QString word(const model::EnumNames<Value, size>& table, Value value)
{
    return QString::fromUtf8(model::wordFor(table, value));
}

QJsonValue objectOf(const search::SpeedLimit& limit)
{
    const bool hasPeriod = limit.period > 0;
    return QJsonObject{{QStringLiteral("kind"), enumText(limit.kind)},
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

QJsonValue objectOf(const search::ContinuationEstimate& continuation)
{
    return QJsonObject{{QStringLiteral("micro_batch_size"), eventNumber(continuation.size)},
                       {QStringLiteral("rival"), eventNumber(continuation.rival)},
                       {QStringLiteral("seconds"), continuation.seconds},
                       {QStringLiteral("gain"), continuation.gain},
                       {QStringLiteral("most_gain"), continuation.maxGain}};
}

QJsonValue objectOf(const trial::ComparedRecord& size)
{
    QJsonArray visits;
    for (const trial::VisitRecord& visit : size.visits)
        visits.append(QJsonObject{{QStringLiteral("begin"), visit.beginSeconds},
                                  {QStringLiteral("samples_per_second"), visit.samplesPerSecond}});
    return QJsonObject{{QStringLiteral("micro_batch_size"), eventNumber(size.microBatchSize)},
                       {QStringLiteral("seconds_per_step"), orNull(size.secondsPerStep)},
                       {QStringLiteral("samples_per_second"), orNull(size.samplesPerSecond)},
                       {QStringLiteral("relative_error"), orNull(size.relativeError)},
                       {QStringLiteral("peak_reserved_bytes"), orNull(size.peakReservedBytes)},
                       {QStringLiteral("visits"), visits}};
}

QJsonValue objectOf(const trial::Contrast& contrast)
{
    return QJsonObject{{QStringLiteral("micro_batch_size"), eventNumber(contrast.leader)},
                       {QStringLiteral("runner_up"), eventNumber(contrast.runnerUp)},
                       {QStringLiteral("lead"), contrast.lead},
                       {QStringLiteral("standard_error"), orNull(contrast.standardError)}};
}

QJsonArray arrayOf(const std::vector<search::Contender>& contenders)
{
    QJsonArray array;
    for (const search::Contender& contender : contenders)
        array.append(QJsonObject{{QStringLiteral("micro_batch_size"), eventNumber(contender.size)},
                                 {QStringLiteral("probability"), contender.probability}});
    return array;
}

QJsonArray arrayOf(const std::vector<search::SizeEstimate>& estimates)
{
    QJsonArray array;
    for (const search::SizeEstimate& estimate : estimates)
        array.append(QJsonObject{{QStringLiteral("micro_batch_size"), eventNumber(estimate.size)},
                                 {QStringLiteral("samples_per_second"), estimate.samplesPerSecond},
                                 {QStringLiteral("relative_error"), estimate.relativeError},
                                 {QStringLiteral("probability_within"), estimate.probabilityWithin}});
    return array;
}

QJsonValue purposeOf(const trial::TrialRecord& trial)
{
    return trial.purpose ? enumText(*trial.purpose) : QJsonValue();
}

/// Returns the fields that begin every event of a trial.
QJsonObject trialFields(const trial::TrialRecord& trial)
{
    return {{QStringLiteral("trial"), trial.number},
            {QStringLiteral("device"), QString::fromStdString(trial.device)}};
}

QJsonObject comparisonFields(const trial::TrialRecord& trial)
{
    QJsonArray sizes;
    for (const std::int64_t size : comparedSizes(trial))
        sizes.append(eventNumber(size));
    QJsonObject fields = trialFields(trial);
    fields.insert(QStringLiteral("micro_batch_sizes"), sizes);
    fields.insert(QStringLiteral("visits"), trial.visits);
    return fields;
}

QJsonObject finishedComparisonFields(const trial::TrialRecord& trial)
{
    QJsonArray compared;
    for (const trial::ComparedRecord& size : trial.compared)
        compared.append(objectOf(size));
    const auto contrast = trial::contrastOf(trial.compared);
    const std::int64_t endedBy = trial.microBatchSize;
    QJsonObject fields = comparisonFields(trial);
    fields.insert(QStringLiteral("outcome"), enumText(*trial.outcome));
    fields.insert(QStringLiteral("ended_by"), endedBy > 0 ? eventNumber(endedBy) : QJsonValue());
    fields.insert(QStringLiteral("compared"), compared);
    fields.insert(QStringLiteral("contrast"), contrast ? objectOf(*contrast) : QJsonValue());
    fields.insert(QStringLiteral("wall_seconds"), trial.wallSeconds);
    fields.insert(QStringLiteral("flags"), QJsonArray::fromStringList(flagsOf(trial)));
    return fields;
}

QJsonArray arrayOf(const std::vector<std::string>& texts)
{
    QJsonArray array;
    for (const std::string& text : texts)
        array.append(QString::fromStdString(text));
    return array;
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
    const QByteArray line = jsonText(fields, QJsonDocument::Compact) + '\n';
    bool isWritten = m_device.write(line) == line.size();
    // A reader at the other end of a pipe wants each line at once. If fewer bytes are written than requested,
    // as when a disk fills up, Qt gives no reason; the next write does.
    if (auto* file = qobject_cast<QFileDevice*>(&m_device))
        isWritten = (file->flush() || file->flush()) && isWritten;
    if (!isWritten && m_onProblem)
        std::exchange(m_onProblem, {})(m_device.errorString());
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

QJsonValue fidelityWord(const config::Fidelity& fidelity)
{
    return QString::fromUtf8(config::wordOf(fidelity.kind));
}

QJsonValue memoryFidelityWord(const config::Fidelity& fidelity)
{
    return QString::fromUtf8(config::wordOf(fidelity.memoryKind()));
}

void addFidelity(QJsonObject& fields, const config::Fidelity& fidelity)
{
    fields.insert(QStringLiteral("fidelity"), fidelityWord(fidelity));
    fields.insert(QStringLiteral("memory_fidelity"), memoryFidelityWord(fidelity));
    fields.insert(QStringLiteral("approximations"), arrayOf(fidelity.reasons));
    fields.insert(QStringLiteral("replaced"), arrayOf(fidelity.replaced));
    fields.insert(QStringLiteral("assumed"), arrayOf(fidelity.assumed));
}

void addParameters(QJsonObject& fields, const RunDescription& run)
{
    const QJsonObject tuning = tuningObject(run.tuning);
    fields.insert(QStringLiteral("parameters"), eventNumber(run.parameters));
    fields.insert(QStringLiteral("trained_parameters"), eventNumber(run.parameters - run.frozenParameters));
    fields.insert(QStringLiteral("tuning"), tuning.isEmpty() ? QJsonValue() : QJsonValue(tuning));
}

QJsonObject eventFields(const DeviceSnapshot& device)
{
    return {{QStringLiteral("id"), device.id},
            {QStringLiteral("kind"), device.kind},
            {QStringLiteral("name"), device.name},
            {QStringLiteral("total_bytes"), eventNumber(device.totalBytes)},
            {QStringLiteral("held_by_others_bytes"), eventNumber(device.heldByOthersBytes)},
            {QStringLiteral("limit_bytes"), eventNumber(device.limitBytes)},
            {QStringLiteral("program"), device.program},
            {QStringLiteral("framework"), device.framework},
            {QStringLiteral("allocator_settings"), device.allocatorSettings},
            {QStringLiteral("approximations"), QJsonArray::fromStringList(device.approximations)}};
}

QJsonObject eventFields(const trial::TrialRecord& trial)
{
    if (trial.isComparison())
        return finishedComparisonFields(trial);
    return {{QStringLiteral("trial"), trial.number},
            {QStringLiteral("device"), QString::fromStdString(trial.device)},
            {QStringLiteral("micro_batch_size"), eventNumber(trial.microBatchSize)},
            {QStringLiteral("outcome"), enumText(*trial.outcome)},
            {QStringLiteral("seconds_per_step"), orNull(trial.secondsPerStep)},
            {QStringLiteral("samples_per_second"), orNull(trial.samplesPerSecond)},
            {QStringLiteral("relative_error"), orNull(trial.relativeError)},
            {QStringLiteral("peak_allocated_bytes"), orNull(trial.peakAllocatedBytes)},
            {QStringLiteral("peak_reserved_bytes"), orNull(trial.peakReservedBytes)},
            {QStringLiteral("wall_seconds"), trial.wallSeconds},
            {QStringLiteral("joules_per_sample"), orNull(trial.joulesPerSample)},
            {QStringLiteral("contention"), orNull(trial.readings.contention)},
            {QStringLiteral("attention"),
             trial.attention.empty() ? QJsonValue() : QString::fromStdString(trial.attention)},
            {QStringLiteral("repetition"), trial.repetition},
            {QStringLiteral("flags"), QJsonArray::fromStringList(flagsOf(trial))},
            {QStringLiteral("verification"), trial.isVerification}};
}

EventLog::EventLog(const Exploration& exploration, QIODevice& device, QObject* parent)
    : QObject(parent),
      m_exploration(exploration),
      m_lines(device, [this](const QString& problem) { emit failed(problem); })
{
    connect(&exploration, &Exploration::occurred, this, [this](const Event& event) {
        std::visit([this](const auto& occurred) { write(occurred); }, event);
    });
}

void EventLog::write(const Started& /*started*/)
{
    const RunDescription& run = *m_exploration.snapshot().run;
    QJsonObject fields{{QStringLiteral("schema"), eventsSchema},
                       {QStringLiteral("file"), run.filePath},
                       {QStringLiteral("format"), run.formatName},
                       {QStringLiteral("family"), run.family},
                       {QStringLiteral("model"), textOrNull(run.modelSource)},
                       {QStringLiteral("batch_size"), eventNumber(run.plan.globalBatchSize)},
                       {QStringLiteral("devices"), eventNumber(run.plan.devices)},
                       {QStringLiteral("setting"), QString::fromStdString(config::toText(run.plan.setting))},
                       {QStringLiteral("phase"), enumText(run.phase)},
                       {QStringLiteral("objective"), enumText(run.objective)},
                       {QStringLiteral("tolerance"), run.tolerance}};
    addParameters(fields, run);
    addFidelity(fields, run.fidelity);
    m_lines.write(QStringLiteral("started"), fields);
}

void EventLog::write(const Recorded& recorded)
{
    m_lines.write(QStringLiteral("recorded"), {{QStringLiteral("exploration"), recorded.exploration}});
}

void EventLog::write(const WentOn& wentOn)
{
    m_lines.write(QStringLiteral("went_on"),
                  {{QStringLiteral("trials"), static_cast<qint64>(m_exploration.snapshot().trials.size())},
                   {QStringLiteral("more_trials"), wentOn.moreTrials},
                   {QStringLiteral("time_budget"), orNull(wentOn.seconds)}});
}

void EventLog::write(const DeviceReady& ready)
{
    m_lines.write(QStringLiteral("device"), eventFields(ready.device));
}

void EventLog::write(const ConnectionChanged& changed)
{
    const Connection& connection = changed.connection;
    m_lines.write(
        QStringLiteral("connection"),
        {{QStringLiteral("name"), changed.name},
         {QStringLiteral("state"), toText(connection.state)},
         {QStringLiteral("reason"), textOrNull(connection.reason)},
         {QStringLiteral("until"), connection.until.isValid()
                                       ? QJsonValue(connection.until.toUTC().toString(Qt::ISODateWithMs))
                                       : QJsonValue()}});
}

void EventLog::write(const Recalled& recalled)
{
    m_lines.write(QStringLiteral("recalled"),
                  {{QStringLiteral("exploration"), recalled.exploration},
                   {QStringLiteral("trials"), recalled.trials},
                   {QStringLiteral("age_seconds"), static_cast<qint64>(recalled.age.count())}});
}

void EventLog::write(const TrialStarted& started)
{
    const trial::TrialRecord& trial = started.trial;
    if (trial.isComparison()) {
        QJsonObject compared = comparisonFields(trial);
        compared.insert(QStringLiteral("purpose"), purposeOf(trial));
        return m_lines.write(QStringLiteral("comparison_started"), compared);
    }
    QJsonObject fields = trialFields(trial);
    fields.insert(QStringLiteral("purpose"), purposeOf(trial));
    fields.insert(QStringLiteral("against"), trial.against > 0 ? eventNumber(trial.against) : QJsonValue());
    fields.insert(QStringLiteral("micro_batch_size"), eventNumber(trial.microBatchSize));
    fields.insert(QStringLiteral("predicted_fit"), trial.predictedFit);
    fields.insert(QStringLiteral("verification"), trial.isVerification);
    m_lines.write(QStringLiteral("trial_started"), fields);
}

void EventLog::write(const TrialFinished& finished)
{
    const bool isComparison = finished.trial.isComparison();
    QJsonObject fields = eventFields(finished.trial);
    const config::Fidelity& fidelity = m_exploration.snapshot().run->fidelity;
    fields.insert(QStringLiteral("fidelity"), fidelityWord(fidelity));
    fields.insert(QStringLiteral("memory_fidelity"), memoryFidelityWord(fidelity));
    m_lines.write(isComparison ? QStringLiteral("comparison_finished") : QStringLiteral("trial_finished"),
                  fields);
}

void EventLog::write(const RecommendationChanged& changed)
{
    const search::Recommendation& recommendation = changed.recommendation;
    m_lines.write(
        QStringLiteral("recommendation"),
        {{QStringLiteral("micro_batch_size"), eventNumber(recommendation.size)},
         {QStringLiteral("relative_performance"), recommendation.relativePerformance},
         {QStringLiteral("confidence"), recommendation.confidence},
         {QStringLiteral("expected_loss"), recommendation.expectedLoss},
         {QStringLiteral("samples_per_second"), recommendation.samplesPerSecond},
         {QStringLiteral("relative_error"), recommendation.relativeError},
         {QStringLiteral("reason"), m_exploration.snapshot().reason},
         {QStringLiteral("estimates"), arrayOf(m_exploration.snapshot().searchState.estimates)},
         {QStringLiteral("doubt"), enumText(recommendation.reason.instability.cause)},
         {QStringLiteral("smallest_within_tolerance"), eventNumber(smallestWithinTolerance(recommendation))},
         {QStringLiteral("contenders"), arrayOf(m_exploration.snapshot().searchState.contenders)},
         {QStringLiteral("other_contenders"), m_exploration.snapshot().searchState.otherContenders},
         {QStringLiteral("speed_limit"), objectOf(m_exploration.snapshot().searchState.speedLimit)},
         {QStringLiteral("fidelity"), fidelityWord(m_exploration.snapshot().run->fidelity)}});
}

void EventLog::write(const Commanded& commanded)
{
    using Kind = Commanded::Kind;
    const bool extends = commanded.kind == Kind::Extend;
    const bool setsShare =
        commanded.kind == Kind::SetTolerance || commanded.kind == Kind::SetTargetConfidence;
    const QJsonValue absent;
    m_lines.write(
        QStringLiteral("command"),
        {{QStringLiteral("command"), word(commandKinds, commanded.kind)},
         {QStringLiteral("trials"), static_cast<qint64>(m_exploration.snapshot().trials.size())},
         {QStringLiteral("device"), textOrNull(commanded.device)},
         {QStringLiteral("micro_batch_size"), commanded.size > 0 ? eventNumber(commanded.size) : absent},
         {QStringLiteral("more_trials"), extends ? QJsonValue(commanded.trials) : absent},
         {QStringLiteral("more_seconds"), orNull(commanded.seconds)},
         {QStringLiteral("share"), setsShare ? QJsonValue(commanded.share) : absent}});
}

void EventLog::write(const Finished& finished)
{
    const Snapshot& snapshot = m_exploration.snapshot();
    const auto& best = snapshot.searchState.recommendation;
    const auto& continuation = snapshot.searchState.continuation;
    const QJsonValue absent;
    m_lines.write(
        QStringLiteral("finished"),
        {{QStringLiteral("status"), toText(finished.status)},
         {QStringLiteral("micro_batch_size"), best ? eventNumber(best->size) : absent},
         {QStringLiteral("relative_performance"), best ? QJsonValue(best->relativePerformance) : absent},
         {QStringLiteral("confidence"), best ? QJsonValue(best->confidence) : absent},
         {QStringLiteral("expected_loss"), best ? QJsonValue(best->expectedLoss) : absent},
         {QStringLiteral("ending"), snapshot.ending},
         {QStringLiteral("prospect"), continuation ? objectOf(*continuation) : absent},
         {QStringLiteral("samples_per_second"), best ? QJsonValue(best->samplesPerSecond) : absent},
         {QStringLiteral("relative_error"), best ? QJsonValue(best->relativeError) : absent},
         {QStringLiteral("estimates"), arrayOf(snapshot.searchState.estimates)},
         {QStringLiteral("peak_reserved_bytes"), best ? eventNumber(snapshot.recommendedPeakBytes) : absent},
         {QStringLiteral("joules_per_sample"), best ? orNull(snapshot.recommendedJoulesPerSample) : absent},
         {QStringLiteral("accumulation_steps"),
          best && snapshot.accumulationSteps > 0 ? eventNumber(snapshot.accumulationSteps) : absent},
         {QStringLiteral("trials"), uncancelledTrials(snapshot)},
         {QStringLiteral("wall_seconds"), snapshot.elapsedSeconds},
         {QStringLiteral("smallest_within_tolerance"),
          best ? eventNumber(smallestWithinTolerance(*best)) : absent},
         {QStringLiteral("speed_limit"), best ? objectOf(snapshot.searchState.speedLimit) : absent},
         {QStringLiteral("projection"), textOrNull(projectionText(snapshot))},
         {QStringLiteral("unused_memory"), textOrNull(unusedMemoryText(snapshot))},
         {QStringLiteral("verification"), snapshot.verification ? objectOf(*snapshot.verification) : absent},
         {QStringLiteral("fidelity"), fidelityWord(snapshot.run->fidelity)},
         {QStringLiteral("memory_fidelity"), memoryFidelityWord(snapshot.run->fidelity)}});
}

} // namespace batchpeak::engine
