// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "observed_exploration.h"

#include <QByteArray>
#include <QJsonObject>

#include <chrono>

namespace batchpeak::engine {

/// Interval at which an exploration that is under way writes its state, if nothing else happens
/// (docs/events.md).
inline constexpr std::chrono::seconds signOfLife{5};

/// The exploration whose events are read (docs/events.md): the inverse of EventLog and StateLog.
///
/// It takes bytes as they come, in pieces of any size. Lines that are no events, events that it does not know
/// and values that are impossible are left out. Of the events of an older program, which have no "state", the
/// snapshot has what they say.
class EventReader : public ObservedExploration
{
    Q_OBJECT

public:
    using ObservedExploration::ObservedExploration;

    const Snapshot& snapshot() const override { return m_snapshot; }
    /// Returns the time that the newest event names; invalid before the first.
    QDateTime eventTime() const override { return m_time; }

    void read(const QByteArray& bytes);
    /// Forgets the beginning of a line, since what follows is not its end.
    void dropLine();

    /// Whether an exploration has begun, according to its events.
    bool hasBegun() const { return m_snapshot.run.has_value(); }
    /// Whether the newest exploration of the events has ended.
    bool hasEnded() const { return m_snapshot.finish.has_value(); }
    /// Whether the events are those of a training, which has no snapshot.
    bool isTraining() const { return m_isTraining; }
    /// Whether they have states, and with them signs of life; those of an older program have none.
    bool hasStates() const { return m_hasStates; }
    /// Number of lines that were left out because they are no events.
    qint64 unreadableLines() const { return m_unreadable; }

private:
    void readLine(const QByteArray& line);
    void take(const QString& event, const QJsonObject& fields);
    bool takeStateEvent(const QJsonObject& fields);
    void takeTrialEvent(const QString& event, const QJsonObject& fields);
    void beginIfDue();
    // What the events of an older program imply.
    void reopen();
    void close(const QJsonObject& fields);

    Snapshot m_snapshot;
    QByteArray m_line;
    /// Whether the rest of a line that is too long is to be skipped.
    bool m_skips = false;
    /// Whether the beginning is to be reported as soon as the run is known.
    bool m_isDue = false;
    /// Whether the events have states, which know more than the other events.
    bool m_hasStates = false;
    bool m_isTraining = false;
    QDateTime m_time;
    QDateTime m_began;
    qint64 m_unreadable = 0;
};

} // namespace batchpeak::engine
