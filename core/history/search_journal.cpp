// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_journal.h"

#include "options/option_values.h"
#include "trial/protocol.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace batchpeak::engine {

namespace {

using Kind = PlannerCall::Kind;

constexpr model::WordTable<Kind, 14> wordsOf(Kind)
{
    return {{{Kind::Next, "next"},
             {Kind::GiveBack, "give_back"},
             {Kind::TrialEnded, "trial_ended"},
             {Kind::DeviceLost, "device_lost"},
             {Kind::GoOn, "go_on"},
             {Kind::TryNow, "try_now"},
             {Kind::Exclude, "exclude"},
             {Kind::Allow, "allow"},
             {Kind::TrialSkipped, "trial_skipped"},
             {Kind::Extend, "extend"},
             {Kind::SetTolerance, "set_tolerance"},
             {Kind::SetTargetConfidence, "set_confidence"},
             {Kind::VerificationEnded, "verification_ended"},
             {Kind::Recall, "recall"}}};
}

constexpr model::WordTable<search::Objective, 2> wordsOf(search::Objective)
{
    return {{{search::Objective::Micro, "micro"}, {search::Objective::Effective, "effective"}}};
}

template<typename Fields>
void visitFields(trial::Visit& visit, Fields& fields)
{
    fields("clock_seconds", visit.clockSeconds);
    fields("seconds", visit.seconds);
    fields("step_seconds", visit.stepSeconds);
    fields("contention", visit.contention);
}

template<typename Fields>
void visitFields(trial::ComparedSize& size, Fields& fields)
{
    fields("micro_batch_size", size.microBatchSize);
    fields("peak_reserved_bytes", size.peakReservedBytes);
    fields("allocation_retries", size.allocationRetries);
    fields("visits", size.visits);
}

template<typename Fields>
void visitFields(search::Measurement& measurement, Fields& fields)
{
    fields("micro_batch_size", measurement.size);
    fields.word("outcome", measurement.outcome);
    fields("seconds_per_step", measurement.secondsPerStep);
    fields("step_seconds", measurement.stepSeconds);
    fields("steps", measurement.steps);
    fields("relative_error", measurement.relativeError);
    fields("optimizer_seconds", measurement.optimizerSeconds);
    fields("peak_allocated_bytes", measurement.peakAllocatedBytes);
    fields("peak_reserved_bytes", measurement.peakReservedBytes);
    fields("thrashes", measurement.thrashes);
    fields("abandoned", measurement.abandoned);
    fields("disturbed", measurement.disturbed);
    fields("contention", measurement.contention);
    fields("is_verification", measurement.isVerification);
    fields("exploration", measurement.exploration);
    fields("compared", measurement.compared);
    fields("visits", measurement.visits);
    fields("wall_seconds", measurement.wallSeconds);
    fields("clock_seconds", measurement.clockSeconds);
}

template<typename Fields>
void visitFields(search::MemoryPrior& prior, Fields& fields)
{
    fields("constant_bytes", prior.constantBytes);
    fields("bytes_per_sample", prior.bytesPerSample);
    fields("deviation", prior.deviation);
}

template<typename Fields>
void visitFields(search::SearchSpace& space, Fields& fields)
{
    fields("minimum", space.minimum);
    fields("maximum", space.maximum);
    fields("candidates", space.candidates);
    fields("memory_limit_bytes", space.memoryLimitBytes);
    fields("baseline_bytes", space.baselineBytes);
    fields("memory_prior", space.memoryPrior);
    fields.word("objective", space.objective);
    fields("per_device_batch", space.perDeviceBatch);
    fields("starting_hint", space.startingHint);
    fields("tolerance", space.tolerance);
    fields("target_confidence", space.targetConfidence);
    fields("max_trials", space.maxTrials);
    fields("devices", space.devices);
    fields("predicts_powers_of_two", space.predictsPowersOfTwo);
    fields("compares_sizes", space.comparesSizes);
    fields("seed", space.seed);
}

template<typename Fields>
void visitFields(PlannerCall& call, Fields& fields)
{
    fields.word("call", call.kind);
    fields("device", call.device);
    fields("trial", call.trial);
    fields("measurement", call.measurement);
    fields("recalled", call.recalled);
    fields("size", call.size);
    fields("share", call.share);
    fields("seconds", call.seconds);
    fields("clock_seconds", call.clockSeconds);
    fields("elapsed_seconds", call.elapsedSeconds);
    fields("time", call.time);
}

class Writer
{
public:
    template<typename Value>
    void operator()(const char* name, Value& member)
    {
        m_object.insert(QLatin1String(name), valueOf(member));
    }
    template<typename Value>
    void word(const char* name, Value& member)
    {
        m_object.insert(QLatin1String(name), QString::fromUtf8(model::wordFor(wordsOf(member), member)));
    }
    QJsonObject object() const { return m_object; }

private:
    static QJsonValue valueOf(bool value) { return value; }
    static QJsonValue valueOf(int value) { return value; }
    static QJsonValue valueOf(double value) { return value; }
    static QJsonValue valueOf(std::int64_t value) { return QJsonValue(static_cast<qint64>(value)); }
    // JSON's whole numbers end at 2^63.
    static QJsonValue valueOf(std::uint64_t value) { return QString::number(value); }
    static QJsonValue valueOf(const QString& value) { return value; }
    template<typename Value>
    static QJsonValue valueOf(std::optional<Value>& value)
    {
        return value ? valueOf(*value) : QJsonValue();
    }
    template<typename Value>
    static QJsonValue valueOf(std::vector<Value>& values)
    {
        QJsonArray array;
        for (Value& value : values)
            array.append(valueOf(value));
        return array;
    }
    template<typename Value>
    requires std::is_class_v<Value> &&(!std::is_same_v<Value, QString>)static QJsonValue valueOf(Value& value)
    {
        Writer fields;
        visitFields(value, fields);
        return fields.object();
    }

    QJsonObject m_object;
};

/// Leaves members as they are of which the object says nothing.
class Reader
{
public:
    explicit Reader(const QJsonObject& object) : m_object(object) {}

    template<typename Value>
    void operator()(const char* name, Value& member)
    {
        const QJsonValue value = m_object.value(QLatin1String(name));
        if (!value.isUndefined() && !value.isNull())
            take(value, member);
    }
    template<typename Value>
    void word(const char* name, Value& member)
    {
        const QByteArray text = m_object.value(QLatin1String(name)).toString().toUtf8();
        if (const auto value = model::valueFor(wordsOf(Value()), text.toStdString()))
            member = *value;
        else
            m_understands = false;
    }
    /// Every word was one that there is.
    bool understands() const { return m_understands; }

private:
    void take(const QJsonValue& value, bool& member) { member = value.toBool(member); }
    void take(const QJsonValue& value, int& member) { member = value.toInt(member); }
    void take(const QJsonValue& value, double& member) { member = value.toDouble(member); }
    void take(const QJsonValue& value, std::int64_t& member) { member = value.toInteger(member); }
    void take(const QJsonValue& value, std::uint64_t& member) { member = value.toString().toULongLong(); }
    void take(const QJsonValue& value, QString& member) { member = value.toString(); }
    template<typename Value>
    void take(const QJsonValue& value, std::optional<Value>& member)
    {
        take(value, member.emplace());
    }
    template<typename Value>
    void take(const QJsonValue& value, std::vector<Value>& member)
    {
        member.clear();
        for (const QJsonValue& element : value.toArray())
            take(element, member.emplace_back());
    }
    template<typename Value>
    requires std::is_class_v<Value> &&
        (!std::is_same_v<Value, QString>)void take(const QJsonValue& value, Value& member)
    {
        const QJsonObject object = value.toObject();
        Reader fields(object);
        visitFields(member, fields);
        m_understands = m_understands && fields.understands();
    }

    const QJsonObject& m_object;
    bool m_understands = true;
};

using trial::longestSeconds;
using trial::mostBytes;

// A damaged history, or one that somebody else wrote, must not lead a search into what cannot be: sizes are
// as of options, times as of the trial protocol.
bool isSize(std::int64_t size)
{
    return 0 <= size && size <= largestCount;
}

bool isBytes(std::int64_t bytes)
{
    return 0 <= bytes && bytes <= mostBytes;
}

/// \return false for NaN too
bool isWithin(double value, double least, double most)
{
    return least <= value && value <= most;
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
           isWithin(prior.constantBytes, 0.0, static_cast<double>(mostBytes)) &&
           isWithin(prior.bytesPerSample, 0.0, static_cast<double>(mostBytes)) &&
           isWithin(prior.deviation, 0.0, longestSeconds);
}

template<typename Value>
QByteArray textOf(Value value)
{
    Writer fields;
    visitFields(value, fields);
    return QJsonDocument(fields.object()).toJson(QJsonDocument::Compact);
}

template<typename Value>
std::optional<Value> valueFrom(const QByteArray& text)
{
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        return std::nullopt;
    const QJsonObject object = document.object();
    Reader fields(object);
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
    case Kind::GoOn:
        planner.goOn(static_cast<int>(call.size));
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
        else if (call.kind == Kind::GoOn)
            devices.clear();
    }
    return devices;
}

} // namespace batchpeak::engine
