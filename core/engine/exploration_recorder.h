// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration.h"

#include <QObject>
#include <QString>

#include <memory>

namespace batchpeak::store {
class ExplorationStore;
}

namespace batchpeak::engine {

/// Writes an exploration into the history as it goes on.
///
/// A history that cannot be written costs the exploration nothing: it is said once, and the exploration
/// goes on without.
class ExplorationRecorder : public QObject
{
    Q_OBJECT

public:
    /// \param storePath  opened when the exploration starts
    ExplorationRecorder(Exploration& exploration, QString storePath, QObject* parent = nullptr);
    ~ExplorationRecorder() override;

signals:
    /// Nothing more of this exploration is kept. \p sentence says why and what to do.
    void failed(const QString& sentence);

private:
    void record(const Started& started);
    void record(const WentOn& wentOn);
    void record(const DeviceReady& ready);
    /// A trial is kept once it has ended.
    void record(const TrialStarted& /*started*/) {}
    void record(const TrialFinished& finished);
    void record(const RecommendationChanged& changed);
    /// What was wished for shows in what came of it.
    void record(const Commanded& /*commanded*/) {}
    void record(const Finished& finished);
    /// Runs \p write, and gives the history up where it throws.
    template<typename Write>
    void attempt(const Write& write);

    Exploration& m_exploration;
    QString m_storePath;
    /// Nothing before the start, after the end, and after a failure.
    std::unique_ptr<store::ExplorationStore> m_store;
    /// 0 before the start and after a failure.
    qint64 m_id = 0;
};

} // namespace batchpeak::engine
