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

/// Tells the history of an exploration as it goes on. A history that cannot be written costs the exploration
/// nothing: store::HistoryWriter finds a place, or says that there is none.
class ExplorationRecorder : public QObject
{
    Q_OBJECT

public:
    /// \param storePath  opened when an exploration starts
    ExplorationRecorder(Exploration& exploration, QString storePath, QObject* parent = nullptr);

signals:
    /// What became of the history, as of HistoryWriter::message().
    void message(const QString& sentence);

private:
    void record(const Started& started);
    void record(const WentOn& wentOn);
    void record(const DeviceReady& ready);
    void record(const TrialStarted& started);
    void record(const TrialFinished& finished);
    void record(const RecommendationChanged& changed);
    /// What was wished for shows in what came of it, and what is recalled in what the search was told.
    void record(const Commanded& /*commanded*/) {}
    void record(const Recalled& /*recalled*/) {}
    void record(const Finished& finished);

    void keep(const PlannerCall& call);
    void writeCalls();
    void writeLog();

    Exploration& m_exploration;
    store::HistoryWriter m_store;
    /// Told within this turn of the event loop, and not written yet.
    std::vector<QByteArray> m_calls;
    QTimer m_soon;
    /// Of the last line that was written; nothing before the first.
    QDateTime m_lastLine;
};

} // namespace batchpeak::engine
