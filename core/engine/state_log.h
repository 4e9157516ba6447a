// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "event_log.h"

#include <QJsonObject>
#include <QObject>
#include <QTimer>

#include <vector>

namespace batchpeak::engine {

/// Writes everything that a window shows of an exploration, as events "state", for those who watch it from
/// elsewhere.
///
/// Each holds what has changed since the one before. One precedes every other event of the exploration except
/// "started", so that a reader of both knows at each event what the exploration knew; others come in between,
/// also as a sign of life. Create it before the EventLog of the same file.
class StateLog : public QObject
{
    Q_OBJECT

public:
    /// \param device  open for writing; it and the exploration must outlive this object. A line that cannot
    /// be
    ///                written is reported by the EventLog, whose lines cannot be written either.
    StateLog(const Exploration& exploration, QIODevice& device, QObject* parent = nullptr);

private:
    void take(const Event& event);
    void writeIfNews(const Snapshot& snapshot);
    void write();

    const Exploration& m_exploration;
    EventLines m_lines;
    QTimer m_signOfLife;
    QTimer m_soon;
    // What has been written.
    QJsonObject m_state;
    std::vector<trial::TrialRecord> m_trials;
    std::optional<CoursePoint> m_point;
    std::optional<LogLine> m_line;
};

} // namespace batchpeak::engine
