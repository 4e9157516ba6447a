// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_fields.h"

#include "event_fields.h"
#include "possible_values.h"
#include "snapshot_builder.h"
#include "store/exploration_store.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace batchpeak::engine {

namespace {

template<typename Value>
QJsonObject writtenFields(Value value)
{
    JsonWriter fields;
    visitFields(value, fields);
    return fields.object();
}

template<typename Value>
void readFields(Value& value, const QJsonObject& object)
{
    JsonReader fields(object);
    visitFields(value, fields);
}

/// Reads into a copy, which replaces \p value if it is possible.
template<typename Value>
bool takeFields(Value& value, const QJsonObject& object)
{
    Value read = value;
    readFields(read, object);
    if (!isPossible(read))
        return false;
    value = std::move(read);
    return true;
}

} // namespace

QJsonObject stateObject(const Snapshot& snapshot)
{
    return writtenFields(snapshot);
}

QJsonObject trialObject(const trial::TrialRecord& trial)
{
    return writtenFields(trial);
}

QJsonObject courseObject(const CoursePoint& point)
{
    return writtenFields(point);
}

QJsonObject lineObject(const LogLine& line)
{
    return writtenFields(line);
}

bool takeState(Snapshot& snapshot, const QJsonObject& object)
{
    // The parts that grow are not copied.
    auto trials = std::exchange(snapshot.trials, {});
    auto course = std::exchange(snapshot.course, {});
    auto log = std::exchange(snapshot.log, {});
    const bool isTaken = takeFields(snapshot, object);
    snapshot.trials = std::move(trials);
    snapshot.course = std::move(course);
    snapshot.log = std::move(log);
    return isTaken;
}

bool takeRun(Snapshot& snapshot, const QJsonObject& object)
{
    RunDescription run;
    if (!takeFields(run, object))
        return false;
    run.tuning = tuningFrom(object.value(QLatin1String("tuning")).toObject());
    snapshot.run = std::move(run);
    return true;
}

bool takeDevice(Snapshot& snapshot, const QJsonObject& object)
{
    const QString id = object.value(QLatin1String("id")).toString();
    const auto found = std::ranges::find(snapshot.devices, id, &DeviceSnapshot::id);
    if (found != snapshot.devices.end())
        return takeFields(*found, object);
    DeviceSnapshot device;
    if (snapshot.devices.size() >= mostDevices || !takeFields(device, object))
        return false;
    if (device.usableBytes == 0 && snapshot.run)
        device.usableBytes = static_cast<std::int64_t>(static_cast<double>(device.limitBytes) *
                                                       (1.0 - snapshot.run->headroom));
    snapshot.devices.push_back(std::move(device));
    return true;
}

bool takeTrial(Snapshot& snapshot, const QJsonObject& object)
{
    const int number = object.value(QLatin1String("trial")).toInt();
    auto& trials = snapshot.trials;
    const auto found = std::ranges::lower_bound(trials, number, {}, &trial::TrialRecord::number);
    const bool isKnown = found != trials.end() && found->number == number;
    trial::TrialRecord trial = isKnown ? *found : trial::TrialRecord();
    // The event that begins a comparison has the sizes alone.
    const QJsonArray sizes = object.value(QLatin1String("micro_batch_sizes")).toArray();
    if (trial.compared.empty() && sizes.size() <= static_cast<qsizetype>(mostPoints)) {
        for (const auto& size : sizes)
            trial.compared.push_back({.microBatchSize = size.toInteger()});
    }
    if (number < 1 || (!isKnown && trials.size() >= mostTrials) || !takeFields(trial, object))
        return false;
    std::vector<std::string> flags = std::exchange(trial.flags, {});
    addFlags(trial, flags);
    if (isKnown)
        *found = std::move(trial);
    else
        trials.insert(found, std::move(trial));
    return true;
}

bool takeRecommendation(Snapshot& snapshot, const QJsonObject& object)
{
    search::SearchState state = snapshot.searchState;
    readFields(state, object);
    search::Recommendation recommendation = state.recommendation.value_or(search::Recommendation());
    readFields(recommendation, object);
    if (recommendation.smallestWithinTolerance == recommendation.size)
        recommendation.smallestWithinTolerance = 0;
    if (object.value(QLatin1String("micro_batch_size")).isNull())
        state.recommendation.reset();
    else
        state.recommendation = recommendation;
    state.status = snapshot.searchState.status;
    if (!isPossible(state))
        return false;
    snapshot.searchState = std::move(state);
    return true;
}

bool takeCoursePoint(Snapshot& snapshot, const QJsonObject& object)
{
    CoursePoint point;
    if (!takeFields(point, object))
        return false;
    addCoursePoint(snapshot.course, point);
    return true;
}

bool takeLine(Snapshot& snapshot, const QJsonObject& object)
{
    LogLine line;
    readFields(line, object);
    std::vector<LogLine>& log = snapshot.log;
    if (log.size() >= store::keptLogLines)
        log.erase(log.begin());
    log.push_back(std::move(line));
    return true;
}

} // namespace batchpeak::engine
