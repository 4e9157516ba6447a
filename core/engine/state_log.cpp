// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "state_log.h"

#include "event_reader.h"
#include "snapshot_fields.h"

#include <QJsonArray>

#include <algorithm>
#include <variant>

namespace batchpeak::engine {

namespace {

using namespace std::chrono_literals;

// A log line or another state is news that a person waits for; a burst of them is one.
constexpr auto untilNews = 500ms;

QJsonObject differences(const QJsonObject& before, const QJsonObject& now)
{
    QJsonObject changed;
    for (auto member = now.begin(); member != now.end(); ++member) {
        if (before.value(member.key()) != member.value())
            changed.insert(member.key(), member.value());
    }
    return changed;
}

bool isSameLine(const LogLine& one, const LogLine& other)
{
    return one.time == other.time && one.text == other.text;
}

bool isSamePoint(const CoursePoint& one, const CoursePoint& other)
{
    return one == other;
}

/// Returns what follows the newest element that was written, and takes its last one as written.
template<typename Value, typename IsSame, typename ToObject>
QJsonArray newOnes(const std::vector<Value>& all, std::optional<Value>& written, IsSame isSame,
                   ToObject toObject)
{
    auto first = all.begin();
    if (written) {
        const auto found = std::find_if(all.rbegin(), all.rend(),
                                        [&](const Value& value) { return isSame(value, *written); });
        first = found.base();
    }
    QJsonArray array;
    for (; first != all.end(); ++first)
        array.append(toObject(*first));
    if (!all.empty())
        written = all.back();
    return array;
}

} // namespace

StateLog::StateLog(const Exploration& exploration, QIODevice& device, QObject* parent)
    : QObject(parent), m_exploration(exploration), m_lines(device, {})
{
    connect(&exploration, &Exploration::occurred, this, &StateLog::take);
    connect(&exploration, &Exploration::snapshotChanged, this, &StateLog::writeIfNews);
    connect(&m_signOfLife, &QTimer::timeout, this, &StateLog::write);
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &StateLog::write);
}

void StateLog::take(const Event& event)
{
    const bool begins = std::holds_alternative<Started>(event);
    if (begins) {
        m_state = {};
        m_trials.clear();
        m_point.reset();
        m_line.reset();
        // After the event itself.
        m_soon.start(0ms);
    } else {
        write();
    }
    if (begins || std::holds_alternative<WentOn>(event))
        m_signOfLife.start(signOfLife);
    else if (std::holds_alternative<Finished>(event))
        m_signOfLife.stop();
}

void StateLog::writeIfNews(const Snapshot& snapshot)
{
    const bool hasLine = !snapshot.log.empty() && (!m_line || !isSameLine(snapshot.log.back(), *m_line));
    if (hasLine && m_signOfLife.isActive() && !m_soon.isActive())
        m_soon.start(untilNews);
}

void StateLog::write()
{
    m_soon.stop();
    const Snapshot& snapshot = m_exploration.snapshot();
    const QJsonObject state = stateObject(snapshot);
    QJsonArray trials;
    for (std::size_t place = 0; place < snapshot.trials.size(); ++place) {
        if (place >= m_trials.size() || m_trials[place] != snapshot.trials[place])
            trials.append(trialObject(snapshot.trials[place]));
    }
    m_trials = snapshot.trials;
    m_lines.write(QStringLiteral("state"),
                  {{QStringLiteral("changed"), differences(m_state, state)},
                   {QStringLiteral("trials"), trials},
                   {QStringLiteral("course"), newOnes(snapshot.course, m_point, isSamePoint, courseObject)},
                   {QStringLiteral("log"), newOnes(snapshot.log, m_line, isSameLine, lineObject)}});
    m_state = state;
}

} // namespace batchpeak::engine
