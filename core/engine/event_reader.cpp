// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "event_reader.h"

#include "log_text.h"
#include "snapshot_fields.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace batchpeak::engine {

namespace {

// The state of a search whose curve has all of its points takes 50 KiB.
constexpr qsizetype longestEventLine = 8 << 20;

std::int64_t sizeIn(const QJsonObject& fields, const char* key)
{
    return fields.value(QLatin1String(key)).toInteger();
}

} // namespace

void EventReader::read(const QByteArray& bytes)
{
    qsizetype begin = 0;
    for (;;) {
        const qsizetype end = bytes.indexOf('\n', begin);
        const bool isWhole = end >= 0;
        const auto part = QByteArrayView(bytes).sliced(begin, (isWhole ? end : bytes.size()) - begin);
        if (!m_skips && m_line.size() + part.size() > longestEventLine) {
            m_line.clear();
            m_skips = true;
        }
        if (!m_skips)
            m_line.append(part);
        if (!isWhole)
            break;
        if (std::exchange(m_skips, false))
            ++m_unreadable;
        else
            readLine(std::exchange(m_line, {}));
        begin = end + 1;
    }
}

void EventReader::dropLine()
{
    m_line.clear();
    m_skips = false;
}

void EventReader::readLine(const QByteArray& line)
{
    if (line.trimmed().isEmpty())
        return;
    const QJsonObject fields = QJsonDocument::fromJson(line).object();
    const QString event = fields.value(QLatin1String("event")).toString();
    if (event.isEmpty()) {
        ++m_unreadable;
        return;
    }
    const auto time =
        QDateTime::fromString(fields.value(QLatin1String("time")).toString(), Qt::ISODateWithMs);
    if (time.isValid())
        m_time = time;
    take(event, fields);
    emit snapshotChanged(m_snapshot);
}

void EventReader::take(const QString& event, const QJsonObject& fields)
{
    const auto is = [&](const char* name) { return event == QLatin1String(name); };
    if (is("started")) {
        m_snapshot = {};
        m_hasStates = false;
        m_isTraining = false;
        if (!takeRun(m_snapshot, fields))
            return;
        m_snapshot.state = State::Starting;
        m_began = m_time;
        m_isDue = true;
        return;
    }
    m_isTraining = m_isTraining || is("training_started");
    if (!hasBegun())
        return;
    if (is("state")) {
        takeStateEvent(fields);
        return beginIfDue();
    }
    beginIfDue();
    // The state that precedes an event knows more than the event.
    if (!m_hasStates && m_began.isValid())
        m_snapshot.elapsedSeconds = std::max(0.0, static_cast<double>(m_began.msecsTo(m_time)) * 1e-3);
    if (is("recorded") && (m_hasStates || takeState(m_snapshot, fields))) {
        emit occurred(Recorded{.exploration = sizeIn(fields, "exploration")});
    } else if (is("device") && (m_hasStates || takeDevice(m_snapshot, fields))) {
        const QString id = fields.value(QLatin1String("id")).toString();
        const auto device = std::ranges::find(m_snapshot.devices, id, &DeviceSnapshot::id);
        if (device != m_snapshot.devices.end())
            emit occurred(DeviceReady{.device = DeviceSnapshot(*device)});
    } else if (is("recalled")) {
        emit occurred(Recalled{.exploration = sizeIn(fields, "exploration"),
                               .trials = fields.value(QLatin1String("trials")).toInt(),
                               .age = std::chrono::seconds(sizeIn(fields, "age_seconds"))});
    } else if (is("trial_started") || is("trial_finished") || is("comparison_started") ||
               is("comparison_finished")) {
        takeTrialEvent(event, fields);
    } else if (is("recommendation") &&
               (m_hasStates || (takeRecommendation(m_snapshot, fields) && takeState(m_snapshot, fields)))) {
        if (const auto& best = m_snapshot.searchState.recommendation)
            emit occurred(RecommendationChanged{.recommendation = *best});
    } else if (is("went_on")) {
        if (!m_hasStates)
            reopen();
        emit occurred(WentOn{.moreTrials = fields.value(QLatin1String("more_trials")).toInt()});
    } else if (is("finished")) {
        if (!m_hasStates)
            close(fields);
        if (m_snapshot.finish)
            emit occurred(Finished{.status = *m_snapshot.finish});
    }
}

/// Reports the beginning, which the event "started" alone does not describe.
void EventReader::beginIfDue()
{
    if (std::exchange(m_isDue, false))
        emit occurred(Started());
}

void EventReader::reopen()
{
    m_snapshot.finish.reset();
    m_snapshot.ending.clear();
    m_snapshot.failure.clear();
    m_snapshot.progress = 0.0;
    m_snapshot.state = State::Starting;
}

void EventReader::close(const QJsonObject& fields)
{
    const bool failed = fields.value(QLatin1String("status")) == toText(FinishStatus::Failed);
    QJsonObject state = fields;
    state.insert(QStringLiteral("state"), failed ? QStringLiteral("failed") : QStringLiteral("finished"));
    state.insert(QStringLiteral("progress"), failed ? m_snapshot.progress : 1.0);
    state.insert(QStringLiteral("recommended_peak_bytes"),
                 fields.value(QLatin1String("peak_reserved_bytes")));
    if (takeRecommendation(m_snapshot, fields))
        takeState(m_snapshot, state);
}

bool EventReader::takeStateEvent(const QJsonObject& fields)
{
    m_hasStates = true;
    const QJsonObject changed = fields.value(QLatin1String("changed")).toObject();
    bool isTaken = takeState(m_snapshot, changed);
    const auto takeAll = [&](const char* key, auto takeOne) {
        for (const QJsonValue element : fields.value(QLatin1String(key)).toArray())
            isTaken = takeOne(m_snapshot, element.toObject()) && isTaken;
    };
    takeAll("trials", takeTrial);
    takeAll("course", takeCoursePoint);
    takeAll("log", takeLine);
    if (!isTaken)
        ++m_unreadable;
    return isTaken;
}

void EventReader::takeTrialEvent(const QString& event, const QJsonObject& fields)
{
    if (!m_hasStates && !takeTrial(m_snapshot, fields))
        return;
    const int number = fields.value(QLatin1String("trial")).toInt();
    const auto found = std::ranges::find(m_snapshot.trials, number, &trial::TrialRecord::number);
    if (found == m_snapshot.trials.end())
        return;
    // A copy: receivers may read on.
    const trial::TrialRecord trial = *found;
    const bool begins = event.endsWith(QLatin1String("_started"));
    if (!begins && trial.isRunning())
        return;
    if (!m_hasStates) {
        m_snapshot.state = State::Exploring;
        addLine(m_snapshot.log, begins ? LogLevel::Info : levelOf(trial),
                begins ? startText(trial) : endText(trial, m_snapshot.run->fidelity));
        m_snapshot.log.back().time = m_time;
    }
    if (begins)
        emit occurred(TrialStarted{.trial = trial});
    else
        emit occurred(TrialFinished{.trial = trial});
}

} // namespace batchpeak::engine
