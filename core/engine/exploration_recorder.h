// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration.h"

#include "store/history_writer.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include <vector>

namespace batchpeak::engine {

/// Writes an exploration into the history as it goes on. If the history cannot be written, the exploration is
/// not affected: store::HistoryWriter finds another place, or reports that there is none.
class ExplorationRecorder : public QObject
{
    Q_OBJECT

public:
    /// \param storePath  path of the history, which is opened when an exploration starts
    ExplorationRecorder(Exploration& exploration, QString storePath, QObject* parent = nullptr);

signals:
    /// Emitted with what became of the history, as HistoryWriter::message().
    void message(const QString& sentence);

private:
    void record(const Started& started);
    void record(const Recorded& /*recorded*/) {}
    void record(const WentOn& wentOn);
    void record(const DeviceReady& ready);
    /// Not recorded: the log has a line on what was lost.
    void record(const ConnectionChanged& /*changed*/) {}
    void record(const TrialStarted& started);
    void record(const TrialFinished& finished);
    void record(const RecommendationChanged& changed);
    /// Commands and recalled trials are not recorded here: the first show in their effects, the second in the
    /// calls to the search.
    void record(const Commanded& /*commanded*/) {}
    void record(const Recalled& /*recalled*/) {}
    void record(const Finished& finished);

    void keep(const PlannerCall& call);
    void writeCalls();
    void writeLog();

    Exploration& m_exploration;
    store::HistoryWriter m_store;
    /// Calls of this turn of the event loop that are not written yet.
    std::vector<QByteArray> m_calls;
    QTimer m_soon;
    /// Time of the last log line that was written; invalid before the first.
    QDateTime m_lastLine;
};

} // namespace batchpeak::engine
