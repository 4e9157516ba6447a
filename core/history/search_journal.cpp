// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_journal.h"

#include "options/option_values.h"
#include "text/json_fields.h"
#include "trial/protocol.h"

#include <QJsonDocument>

#include <algorithm>
#include <utility>

// The names of members in the journal.

namespace batchpeak::trial {

template<typename Fields>
void visitFields(Visit& visit, Fields& fields)
{
    fields.value("clock_seconds", visit.clockSeconds);
    fields.value("seconds", visit.seconds);
    fields.value("step_seconds", visit.stepSeconds);
    fields.value("contention", visit.contention);
}

template<typename Fields>
void visitFields(ComparedSize& size, Fields& fields)
{
    fields.value("micro_batch_size", size.microBatchSize);
    fields.value("peak_reserved_bytes", size.peakReservedBytes);
    fields.value("allocation_retries", size.allocationRetries);
    fields.value("visits", size.visits);
}

} // namespace batchpeak::trial

namespace batchpeak::search {

template<typename Fields>
void visitFields(Measurement& measurement, Fields& fields)
{
    fields.value("micro_batch_size", measurement.size);
    fields.word("outcome", measurement.outcome);
    fields.value("seconds_per_step", measurement.secondsPerStep);
    fields.value("step_seconds", measurement.stepSeconds);
    fields.value("steps", measurement.steps);
    fields.value("relative_error", measurement.relativeError);
    fields.value("optimizer_seconds", measurement.optimizerSeconds);
    fields.value("peak_allocated_bytes", measurement.peakAllocatedBytes);
    fields.value("peak_reserved_bytes", measurement.peakReservedBytes);
    fields.value("thrashes", measurement.thrashes);
    fields.value("abandoned", measurement.abandoned);
    fields.value("disturbed", measurement.disturbed);
    fields.value("contention", measurement.contention);
    fields.value("is_verification", measurement.isVerification);
    fields.value("exploration", measurement.exploration);
    fields.value("compared", measurement.compared);
    fields.value("visits", measurement.visits);
    fields.value("wall_seconds", measurement.wallSeconds);
    fields.value("clock_seconds", measurement.clockSeconds);
}

template<typename Fields>
void visitFields(MemoryPrior& prior, Fields& fields)
{
    fields.value("constant_bytes", prior.constantBytes);
    fields.value("bytes_per_sample", prior.bytesPerSample);
    fields.value("deviation", prior.deviation);
}

template<typename Fields>
void visitFields(SearchSpace& space, Fields& fields)
{
    fields.value("minimum", space.minimum);
    fields.value("maximum", space.maximum);
    fields.value("candidates", space.candidates);
    fields.value("memory_limit_bytes", space.memoryLimitBytes);
    fields.value("baseline_bytes", space.baselineBytes);
    fields.value("memory_prior", space.memoryPrior);
    fields.word("objective", space.objective);
    fields.value("per_device_batch", space.perDeviceBatch);
    fields.value("starting_hint", space.startingHint);
    fields.value("tolerance", space.tolerance);
    fields.value("target_confidence", space.targetConfidence);
    fields.value("max_trials", space.maxTrials);
    fields.value("devices", space.devices);
    fields.value("predicts_powers_of_two", space.predictsPowersOfTwo);
    fields.value("compares_sizes", space.comparesSizes);
    fields.value("seed", space.seed);
}

} // namespace batchpeak::search

namespace batchpeak::engine {

template<typename Fields>
void visitFields(PlannerCall& call, Fields& fields)
{
    fields.word("call", call.kind);
    fields.value("device", call.device);
    fields.value("trial", call.trial);
    fields.value("measurement", call.measurement);
    fields.value("recalled", call.recalled);
    fields.value("size", call.size);
    fields.value("share", call.share);
    fields.value("seconds", call.seconds);
    fields.value("clock_seconds", call.clockSeconds);
    fields.value("elapsed_seconds", call.elapsedSeconds);
    fields.value("time", call.time);
}

namespace {

using Kind = PlannerCall::Kind;

using trial::longestSeconds;
using trial::maxBytes;

// A damaged history, or one that another program wrote, must not pass impossible values to a search: sizes
// have the limits of options, times those of the trial protocol.
bool isSize(std::int64_t size)
{
    return 0 <= size && size <= largestCount;
}

bool isBytes(std::int64_t bytes)
{
    return 0 <= bytes && bytes <= maxBytes;
}

/// \return whether the value is within the range; false for NaN
bool isWithin(double value, double min, double max)
{
    return min <= value && value <= max;
}

bool isStep(double seconds)
{
    return isWithin(seconds, trial::shortestStepSeconds, longestSeconds);
}

bool isPossible(const trial::Visit& visit)
{
    return isWithin(visit.clockSeconds, -longestSeconds, longestSeconds) && isStep(visit.seconds) &&
           !visit.stepSeconds.empty() && std::ranges::all_of(visit.stepSeconds, isStep);
}

bool arePossible(const std::vector<trial::Visit>& visits)
{
    return std::ranges::all_of(visits, [](const trial::Visit& visit) { return isPossible(visit); });
}

bool isPossible(const trial::ComparedSize& size)
{
    return isSize(size.microBatchSize) && size.microBatchSize > 0 && isBytes(size.peakReservedBytes) &&
           arePossible(size.visits);
}

bool isPossible(const search::Measurement& measurement)
{
    return isSize(measurement.size) && isBytes(measurement.peakAllocatedBytes) &&
           isBytes(measurement.peakReservedBytes) &&
           isWithin(measurement.secondsPerStep, 0.0, longestSeconds) &&
           std::ranges::all_of(measurement.stepSeconds, isStep) && measurement.steps >= 0 &&
           isWithin(measurement.relativeError.value_or(0.0), 0.0, longestSeconds) &&
           isWithin(measurement.optimizerSeconds, 0.0, longestSeconds) &&
           isWithin(measurement.wallSeconds, 0.0, longestSeconds) &&
           isWithin(measurement.clockSeconds, -longestSeconds, longestSeconds) &&
           arePossible(measurement.visits) &&
           std::ranges::all_of(measurement.compared,
                               [](const trial::ComparedSize& size) { return isPossible(size); });
}

bool isPossible(const PlannerCall& call)
{
    return isSize(call.size) && isWithin(call.share, 0.0, 1.0) &&
           isWithin(call.seconds, 0.0, longestSeconds) && isWithin(call.clockSeconds, 0.0, longestSeconds) &&
           isWithin(call.elapsedSeconds, 0.0, longestSeconds) &&
           isPossible(call.measurement.value_or(search::Measurement())) &&
           std::ranges::all_of(call.recalled, [](const search::Measurement& m) { return isPossible(m); });
}

bool isPossible(const search::SearchSpace& space)
{
    const search::MemoryPrior prior = space.memoryPrior.value_or(search::MemoryPrior());
    return isSize(space.minimum) && isSize(space.maximum) && std::ranges::all_of(space.candidates, isSize) &&
           std::ranges::is_sorted(space.candidates) && isBytes(space.memoryLimitBytes) &&
           isBytes(space.baselineBytes) && isSize(space.perDeviceBatch) && space.perDeviceBatch > 0 &&
           isSize(space.startingHint.value_or(0)) && isWithin(space.tolerance, 0.0, 1.0) &&
           space.targetConfidence >= 0.0 && space.maxTrials >= 0 && space.devices > 0 &&
           isWithin(prior.constantBytes, 0.0, static_cast<double>(maxBytes)) &&
           isWithin(prior.bytesPerSample, 0.0, static_cast<double>(maxBytes)) &&
           isWithin(prior.deviation, 0.0, longestSeconds);
}

template<typename Value>
QByteArray textOf(Value value)
{
    JsonWriter fields;
    visitFields(value, fields);
    return QJsonDocument(fields.object()).toJson(QJsonDocument::Compact);
}

template<typename Value>
std::optional<Value> valueFrom(const QByteArray& text)
{
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        return std::nullopt;
    JsonReader fields(document.object());
    Value value;
    visitFields(value, fields);
    return fields.understands() && isPossible(value) ? std::optional(std::move(value)) : std::nullopt;
}

} // namespace

PlannerReply apply(const PlannerCall& call, TrialPlanner& planner)
{
    switch (call.kind) {
    case Kind::Next:
        return {.proposal = planner.next(call.device)};
    case Kind::GiveBack:
        planner.giveBack(call.device);
        break;
    case Kind::TrialEnded:
        return {.proposal = {},
                .followUp =
                    planner.trialEnded(call.device, call.measurement.value_or(search::Measurement()))};
    case Kind::DeviceLost:
        planner.deviceLost(call.device);
        break;
    case Kind::Continue:
        planner.continueSearch(static_cast<int>(call.size));
        break;
    case Kind::TryNow:
        planner.tryNow(call.size);
        break;
    case Kind::Exclude:
    case Kind::Allow:
        planner.setExcluded(call.size, call.kind == Kind::Exclude);
        break;
    case Kind::TrialSkipped:
        planner.trialSkipped(call.device);
        break;
    case Kind::Extend:
        planner.extend(static_cast<int>(call.size));
        break;
    case Kind::SetTolerance:
        planner.setTolerance(call.share);
        break;
    case Kind::SetTargetConfidence:
        planner.setTargetConfidence(call.share);
        break;
    case Kind::VerificationEnded:
        planner.verificationEnded(call.measurement.value_or(search::Measurement()));
        break;
    case Kind::Recall:
        planner.recall(call.recalled);
        break;
    }
    return {};
}

QByteArray toText(const PlannerCall& call)
{
    return textOf(call);
}

std::optional<PlannerCall> plannerCallFrom(const QByteArray& text)
{
    return valueFrom<PlannerCall>(text);
}

QByteArray toText(const search::SearchSpace& space)
{
    return textOf(space);
}

std::optional<search::SearchSpace> searchSpaceFrom(const QByteArray& text)
{
    return valueFrom<search::SearchSpace>(text);
}

void applyAll(const std::vector<PlannerCall>& calls, TrialPlanner& planner)
{
    for (const PlannerCall& call : calls) {
        if (call.kind == Kind::TrialEnded && call.measurement)
            planner.takeAsRun(call.device, *call.measurement);
        apply(call, planner);
    }
}

std::vector<QString> devicesUnderWay(const std::vector<PlannerCall>& calls)
{
    std::vector<QString> devices;
    for (const PlannerCall& call : calls) {
        std::erase(devices, call.device);
        if (call.kind == Kind::Next)
            devices.push_back(call.device);
        else if (call.kind == Kind::Continue)
            devices.clear();
    }
    return devices;
}

} // namespace batchpeak::engine
