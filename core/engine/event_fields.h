// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "search_words.h"
#include "snapshot/snapshot.h"
#include "text/json_fields.h"
#include "text/tuning_text.h"

#include <algorithm>
#include <array>
#include <concepts>

// The names of members in events, for snapshot_fields.h alone. They are those of the fields in docs/events.md
// where an event has the same fact.

namespace batchpeak::engine {

template<typename Fields>
concept JsonFields = std::same_as<Fields, JsonWriter> || std::same_as<Fields, JsonReader>;

} // namespace batchpeak::engine

namespace batchpeak::device {

using engine::JsonFields;

constexpr model::EnumNames<Throttle, 4> wordsOf(Throttle)
{
    using enum Throttle;
    return {{{None, "none"}, {Power, "power"}, {Heat, "heat"}, {Hardware, "hardware"}}};
}

template<JsonFields Fields>
void visitFields(DeviceProcess& process, Fields& fields)
{
    fields.value("pid", process.pid);
    fields.value("name", process.name);
    fields.value("bytes", process.bytes);
}

template<JsonFields Fields>
void visitFields(DeviceReadings& readings, Fields& fields)
{
    fields.value("utilization_percent", readings.utilizationPercent);
    fields.value("temperature_celsius", readings.temperatureCelsius);
    fields.value("clock_megahertz", readings.clockMegahertz);
    fields.value("max_clock_megahertz", readings.maxClockMegahertz);
    fields.value("power_watts", readings.powerWatts);
    fields.value("power_limit_watts", readings.powerLimitWatts);
    fields.value("throttle", readings.throttle);
    fields.value("used_bytes", readings.usedBytes);
    fields.value("processes", readings.processes);
    fields.value("uncorrected_errors", readings.uncorrectedErrors);
    fields.value("xid", readings.xid);
    fields.value("processors", readings.processors);
    fields.value("other_processors", readings.otherProcessors);
    fields.value("other_bytes", readings.otherBytes);
}

} // namespace batchpeak::device

namespace batchpeak::config {

using engine::JsonFields;

constexpr model::EnumNames<Fidelity::Kind, 3> wordsOf(Fidelity::Kind)
{
    using enum Fidelity::Kind;
    return {{{AsConfigured, "as_configured"}, {Approximate, "approximate"}, {AnotherRun, "another_run"}}};
}

template<JsonFields Fields>
void visitFields(Fidelity& fidelity, Fields& fields)
{
    fields.value("fidelity", fidelity.kind);
    fields.value("approximations", fidelity.reasons);
    fields.value("replaced", fidelity.replaced);
    fields.value("assumed", fidelity.assumed);
}

} // namespace batchpeak::config

namespace batchpeak::trial {

using engine::JsonFields;

template<JsonFields Fields>
void visitFields(VisitRecord& visit, Fields& fields)
{
    fields.value("begin", visit.beginSeconds);
    fields.value("samples_per_second", visit.samplesPerSecond);
}

template<JsonFields Fields>
void visitFields(ComparedRecord& size, Fields& fields)
{
    fields.value("micro_batch_size", size.microBatchSize);
    fields.value("samples_per_second", size.samplesPerSecond);
    fields.value("relative_error", size.relativeError);
    fields.value("seconds_per_step", size.secondsPerStep);
    fields.value("peak_reserved_bytes", size.peakReservedBytes);
    fields.value("visits", size.visits);
}

template<JsonFields Fields>
void visitFields(Link& link, Fields& fields)
{
    fields.value("processes", link.processes);
    fields.value("alpha_seconds", link.alphaSeconds);
    fields.value("beta_seconds_per_byte", link.betaSecondsPerByte);
    fields.value("relative_error", link.relativeError);
}

template<JsonFields Fields>
void visitFields(TrialRecord& trial, Fields& fields)
{
    fields.value("trial", trial.number);
    fields.value("device", trial.device);
    fields.value("micro_batch_size", trial.microBatchSize);
    fields.value("compared", trial.compared);
    fields.value("visits", trial.visits);
    fields.value("outcome", trial.outcome);
    fields.value("samples_per_second", trial.samplesPerSecond);
    fields.value("relative_error", trial.relativeError);
    fields.value("seconds_per_step", trial.secondsPerStep);
    fields.value("forward_seconds", trial.forwardSeconds);
    fields.value("backward_seconds", trial.backwardSeconds);
    fields.value("optimizer_seconds", trial.optimizerSeconds);
    fields.value("reduction_seconds", trial.reductionSeconds);
    fields.value("peak_allocated_bytes", trial.peakAllocatedBytes);
    fields.value("peak_reserved_bytes", trial.peakReservedBytes);
    fields.value("warmup_steps", trial.warmupSteps);
    fields.value("timed_steps", trial.timedSteps);
    fields.value("wall_seconds", trial.wallSeconds);
    fields.value("purpose", trial.purpose);
    fields.value("against", trial.against);
    fields.value("predicted_fit", trial.predictedFit);
    fields.value("joules_per_sample", trial.joulesPerSample);
    for (const ReadingField& reading : readingFields)
        fields.value(reading.name, trial.readings.*reading.value);
    fields.value("attention", trial.attention);
    fields.value("thrashes", trial.thrashes);
    fields.value("abandoned", trial.abandoned);
    fields.value("disturbed", trial.disturbed);
    fields.value("repetition", trial.repetition);
    fields.value("within_headroom", trial.withinHeadroom);
    fields.value("verification", trial.isVerification);
    fields.value("flags", trial.flags);
    fields.value("text", trial.text);
}

} // namespace batchpeak::trial

namespace batchpeak::search {

using engine::JsonFields;

template<JsonFields Fields>
void visitFields(SizeEstimate& estimate, Fields& fields)
{
    fields.value("micro_batch_size", estimate.size);
    fields.value("samples_per_second", estimate.samplesPerSecond);
    fields.value("relative_error", estimate.relativeError);
    fields.value("probability_within", estimate.probabilityWithin);
}

template<JsonFields Fields>
void visitFields(Reason& reason, Fields& fields)
{
    fields.value("kind", reason.kind);
    fields.value("runner_up", reason.runnerUp);
    fields.value("lead", reason.leadOverRunnerUp);
    fields.value("rival", reason.rival);
    fields.value("rival_probability", reason.rivalProbability);
    fields.value("next", reason.next);
    fields.value("compared_next", reason.comparedNext);
    fields.value("largest_predicted_fit", reason.largestPredictedFit);
    fields.value("doubt", reason.instability.cause);
    fields.value("instability", reason.instability.size);
}

template<JsonFields Fields>
void visitFields(Recommendation& recommendation, Fields& fields)
{
    fields.value("micro_batch_size", recommendation.size);
    fields.value("samples_per_second", recommendation.samplesPerSecond);
    fields.value("relative_error", recommendation.relativeError);
    fields.value("relative_performance", recommendation.relativePerformance);
    fields.value("confidence", recommendation.confidence);
    fields.value("expected_loss", recommendation.expectedLoss);
    fields.value("why", recommendation.reason);
    fields.value("smallest_within_tolerance", recommendation.smallestWithinTolerance);
}

template<JsonFields Fields>
void visitFields(ContinuationEstimate& continuation, Fields& fields)
{
    fields.value("micro_batch_size", continuation.size);
    fields.value("rival", continuation.rival);
    fields.value("seconds", continuation.seconds);
    fields.value("gain", continuation.gain);
    fields.value("most_gain", continuation.maxGain);
}

template<JsonFields Fields>
void visitFields(SpeedLimit& limit, Fields& fields)
{
    fields.value("kind", limit.kind);
    fields.value("probability", limit.probability);
    fields.value("overhead_share", limit.overheadShare);
    fields.value("doubling_gain", limit.doublingGain);
    fields.value("period", limit.period);
    fields.value("jump", limit.jump);
}

template<JsonFields Fields>
void visitFields(CurvePoint& point, Fields& fields)
{
    fields.value("size", point.size);
    fields.value("samples_per_second", point.samplesPerSecond);
    fields.value("low", point.low);
    fields.value("high", point.high);
}

template<JsonFields Fields>
void visitFields(MemoryLine& line, Fields& fields)
{
    fields.value("constant_bytes", line.constantBytes);
    fields.value("bytes_per_sample", line.bytesPerSample);
}

template<JsonFields Fields>
void visitFields(Contender& contender, Fields& fields)
{
    fields.value("micro_batch_size", contender.size);
    fields.value("probability", contender.probability);
}

template<JsonFields Fields>
void visitFields(NextTrial& next, Fields& fields)
{
    fields.value("micro_batch_sizes", next.sizes);
    fields.value("purpose", next.purpose);
    fields.value("against", next.against);
}

template<JsonFields Fields>
void visitFields(Estimate& estimate, Fields& fields)
{
    fields.value("likely", estimate.likely);
    fields.value("low", estimate.low);
    fields.value("high", estimate.high);
}

template<JsonFields Fields>
void visitFields(Forecast& forecast, Fields& fields)
{
    fields.value("trials", forecast.trials);
    fields.value("seconds", forecast.seconds);
}

template<JsonFields Fields>
void visitFields(SearchState& state, Fields& fields)
{
    fields.value("status", state.status);
    fields.value("recommendation", state.recommendation);
    fields.value("estimates", state.estimates);
    fields.value("curve", state.curve);
    fields.value("memory", state.memory);
    fields.value("allocated_memory", state.allocatedMemory);
    fields.value("largest_predicted_fit", state.largestPredictedFit);
    fields.value("smallest_failure", state.smallestFailure);
    fields.value("expected_trials", state.expectedTrials);
    fields.value("recalled_trials", state.recalledTrials);
    fields.value("forecast", state.forecast);
    fields.value("contenders", state.contenders);
    fields.value("other_contenders", state.otherContenders);
    fields.value("next", state.next);
    fields.value("excluded", state.excluded);
    fields.value("speed_limit", state.speedLimit);
    fields.value("prospect", state.continuation);
}

} // namespace batchpeak::search

namespace batchpeak::engine {

constexpr model::EnumNames<State, 8> wordsOf(State)
{
    using enum State;
    return {{{Idle, "idle"},
             {Starting, "starting"},
             {Exploring, "exploring"},
             {Verifying, "verifying"},
             {Paused, "paused"},
             {Finishing, "finishing"},
             {Finished, "finished"},
             {Failed, "failed"}}};
}

constexpr model::EnumNames<LogLevel, 3> wordsOf(LogLevel)
{
    using enum LogLevel;
    return {{{Info, "info"}, {Warning, "warning"}, {Error, "error"}}};
}

inline constexpr std::array finishStatuses{FinishStatus::Confident,   FinishStatus::Exhausted,
                                           FinishStatus::Budget,      FinishStatus::Cancelled,
                                           FinishStatus::NothingFits, FinishStatus::Failed};
inline constexpr std::array verificationOutcomes{
    Verification::Outcome::Pending, Verification::Outcome::Confirmed, Verification::Outcome::Slower,
    Verification::Outcome::Failed, Verification::Outcome::NotRun};

/// Visits a value whose words toText() gives.
/// \param all  every value; one that is unknown leaves \p value as it is
template<typename Value, std::size_t size, JsonFields Fields>
void visitWord(const char* key, Value& value, const std::array<Value, size>& all, Fields& fields)
{
    QString word = toText(value);
    fields.value(key, word);
    for (const Value& candidate : all) {
        if (toText(candidate) == word)
            value = candidate;
    }
}

/// Returns the setting of the text that config::toText() gives, which holds no bounds that can be read.
inline config::Setting settingOf(const QString& text, const config::Explore& bounds)
{
    if (text.contains(QLatin1String("explore")))
        return bounds;
    try {
        return config::settingFromText(text.toStdString());
    } catch (const config::ConfigError&) {
        return config::Auto{};
    }
}

template<JsonFields Fields>
void visitSetting(config::Setting& setting, Fields& fields)
{
    config::Explore bounds;
    if (const auto* explored = std::get_if<config::Explore>(&setting))
        bounds = *explored;
    QString text = QString::fromStdString(config::toText(setting));
    fields.value("setting", text);
    fields.value("minimum", bounds.minimum);
    fields.value("maximum", bounds.maximum);
    setting = settingOf(text, bounds);
}

template<JsonFields Fields>
void visitFields(RunDescription& run, Fields& fields)
{
    fields.value("file", run.filePath);
    fields.value("chosen_model", run.chosenModel);
    fields.value("command", run.command);
    fields.value("code", run.codePath);
    fields.value("format", run.formatName);
    fields.value("family", run.family);
    fields.value("model", run.modelSource);
    fields.value("parameters", run.parameters);
    std::int64_t trained = run.parameters - run.frozenParameters;
    fields.value("trained_parameters", trained);
    run.frozenParameters = std::max<std::int64_t>(0, run.parameters - trained);
    QString tuning = tuningRecord(run.tuning);
    fields.value("tuning_record", tuning);
    run.tuning = tuningFromRecord(tuning);
    visitFields(run.fidelity, fields);
    fields.value("processes", run.processes);
    fields.value("phase", run.phase);
    fields.value("precision", run.precision);
    fields.value("optimizer", run.optimizer);
    fields.value("sequence_length", run.sequenceLength);
    fields.value("tokens_per_sample", run.tokensPerSample);
    fields.value("flops_per_sample", run.flopsPerSample);
    fields.value("product_precision", run.productPrecision);
    fields.value("batch_size", run.plan.globalBatchSize);
    fields.value("devices", run.plan.devices);
    visitSetting(run.plan.setting, fields);
    fields.value("present_size", run.plan.presentSize);
    fields.value("knows_devices", run.plan.knowsDevices);
    fields.value("is_over_all_devices", run.plan.isOverAllDevices);
    fields.value("micro_batch_key", run.plan.microBatchKey);
    fields.value("batch_key", run.plan.globalBatchKey);
    fields.value("has_batch", run.hasBatch);
    fields.value("objective", run.objective);
    fields.value("strategy", run.strategy);
    fields.value("tolerance", run.tolerance);
    fields.value("target_confidence", run.targetConfidence);
    fields.value("headroom", run.headroom);
    fields.value("max_trials", run.maxTrials);
    fields.value("budget_seconds", run.budgetSeconds);
    fields.value("is_verified", run.isVerified);
}

template<JsonFields Fields>
void visitFields(Contention& contention, Fields& fields)
{
    fields.value("disturbed_share", contention.disturbedShare);
    fields.value("trials", contention.trials);
    fields.value("by", contention.by);
}

inline constexpr std::array connectionStates{
    Connection::State::Here,     Connection::State::Asking,    Connection::State::Queued,
    Connection::State::Starting, Connection::State::Connected, Connection::State::Silent,
    Connection::State::Lost,     Connection::State::GivenUp,   Connection::State::Off};

template<JsonFields Fields>
void visitFields(Connection& connection, Fields& fields)
{
    visitWord("state", connection.state, connectionStates, fields);
    fields.value("reason", connection.reason);
    fields.value("until", connection.until);
}

template<JsonFields Fields>
void visitFields(PlaceSnapshot& place, Fields& fields)
{
    fields.value("name", place.name);
    fields.value("connection", place.connection);
}

template<JsonFields Fields>
void visitFields(DeviceSnapshot& device, Fields& fields)
{
    fields.value("id", device.id);
    fields.value("kind", device.kind);
    fields.value("name", device.name);
    fields.value("total_bytes", device.totalBytes);
    fields.value("held_by_others_bytes", device.heldByOthersBytes);
    fields.value("limit_bytes", device.limitBytes);
    fields.value("usable_bytes", device.usableBytes);
    fields.value("baseline_bytes", device.baselineBytes);
    fields.value("worker_pid", device.workerPid);
    fields.value("program", device.program);
    fields.value("framework", device.framework);
    fields.value("uuid", device.uuid);
    fields.value("driver", device.driver);
    fields.value("allocator_settings", device.allocatorSettings);
    fields.value("attention", device.attention);
    fields.value("approximations", device.approximations);
    fields.value("link", device.link);
    fields.value("connection", device.connection);
    fields.value("telemetry", device.telemetry);
    fields.value("contention", device.contention);
    fields.value("restarts", device.restarts);
}

template<JsonFields Fields>
void visitFields(Verification& verification, Fields& fields)
{
    fields.value("micro_batch_size", verification.size);
    visitWord("outcome", verification.outcome, verificationOutcomes, fields);
    fields.value("expected_samples_per_second", verification.expectedSamplesPerSecond);
    fields.value("samples_per_second", verification.samplesPerSecond);
    fields.value("peak_reserved_bytes", verification.peakReservedBytes);
    fields.value("spare_bytes", verification.spareBytes);
    fields.value("speed_mark", verification.speedMark);
    fields.value("memory_mark", verification.memoryMark);
}

template<JsonFields Fields>
void visitFields(PredictedSize& size, Fields& fields)
{
    fields.value("micro_batch_size", size.microBatchSize);
    fields.value("accumulation_steps", size.accumulationSteps);
    fields.value("samples_per_second", size.samplesPerSecond);
    fields.value("relative_error", size.relativeError);
    fields.value("without_optimizer", size.withoutOptimizer);
}

template<JsonFields Fields>
void visitFields(RecalledTrial& recalled, Fields& fields)
{
    fields.value("trial", recalled.trial);
    fields.value("exploration", recalled.exploration);
    fields.value("ended", recalled.ended);
}

template<JsonFields Fields>
void visitFields(CoursePoint& point, Fields& fields)
{
    fields.value("elapsed_seconds", point.elapsedSeconds);
    fields.value("trials", point.trials);
    fields.value("micro_batch_size", point.size);
    fields.value("confidence", point.confidence);
    fields.value("expected_loss", point.expectedLoss);
    fields.value("samples_per_second", point.samplesPerSecond);
}

template<JsonFields Fields>
void visitFields(TrialPlan& plan, Fields& fields)
{
    fields.value("trial", plan.number);
    fields.value("micro_batch_sizes", plan.sizes);
    fields.value("purpose", plan.why);
    fields.value("against", plan.against);
    fields.value("sentence", plan.sentence);
}

template<JsonFields Fields>
void visitFields(LogLine& line, Fields& fields)
{
    fields.value("time", line.time);
    fields.value("level", line.level);
    fields.value("text", line.text);
}

template<JsonFields Fields>
void visitFields(Snapshot& snapshot, Fields& fields)
{
    fields.value("state", snapshot.state);
    fields.value("pause_requested", snapshot.pauseRequested);
    fields.value("devices_are_free", snapshot.devicesAreFree);
    fields.value("thinking_seconds", snapshot.thinkingSeconds);
    fields.value("stalled_seconds", snapshot.stalledSeconds);
    fields.value("run", snapshot.run);
    std::int64_t number = snapshot.numberInHistory;
    fields.value("exploration", number);
    snapshot.numberInHistory = number;
    fields.value("devices", snapshot.devices);
    fields.value("places", snapshot.places);
    fields.value("recalled", snapshot.recalled);
    fields.value("search", snapshot.searchState);
    fields.value("under_way", snapshot.underWay);
    fields.value("next", snapshot.next);
    fields.value("asked_sizes", snapshot.askedSizes);
    fields.value("recommended_peak_bytes", snapshot.recommendedPeakBytes);
    fields.value("joules_per_sample", snapshot.recommendedJoulesPerSample);
    fields.value("accumulation_steps", snapshot.accumulationSteps);
    fields.value("reason", snapshot.reason);
    fields.value("smaller_size", snapshot.smallerSize);
    fields.value("speed_limit_sentence", snapshot.speedLimit);
    fields.value("verification", snapshot.verification);
    fields.value("predicted_sizes", snapshot.predictedSizes);
    fields.value("progress", snapshot.progress);
    fields.value("time_left", snapshot.timeLeft);
    fields.value("setback", snapshot.setback);
    fields.value("elapsed_seconds", snapshot.elapsedSeconds);
    QString finish = snapshot.finish ? toText(*snapshot.finish) : QString();
    fields.value("status", finish);
    snapshot.finish.reset();
    for (const FinishStatus status : finishStatuses) {
        if (toText(status) == finish)
            snapshot.finish = status;
    }
    fields.value("ending", snapshot.ending);
    fields.value("failure", snapshot.failure);
    fields.value("gpu_is_unusable", snapshot.gpuIsUnusable);
}

} // namespace batchpeak::engine
