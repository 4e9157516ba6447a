// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"
#include "workers/worker_process.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// How a trial of two steps ended.
struct SequenceResult
{
    std::int64_t microBatchSize = 0;
    double secondsPerStep = 0.0;
    std::int64_t peakBytes = 0;
    /// Why the trial failed; empty if it succeeded.
    QString problem;
    /// What the program runs differently than requested; see trial::Loaded.
    std::vector<std::string> approximations;
};

/// Runs trials of two steps, each of its own network, in one worker process after another: a process lives
/// until it ends itself; its last request has failed then. This matches an exploration without the search.
class TrialSequence : public QObject
{
    Q_OBJECT

public:
    using Finished = std::function<void(std::size_t index, const SequenceResult& result)>;

    /// How far each load goes: the network is built without memory for its weights, or a trial is run.
    enum class Depth { Networks, Trials };

    /// \param finished  called for each load, in order
    TrialSequence(batchpeak::engine::WorkerCommand worker, std::vector<batchpeak::trial::LoadRequest> loads,
                  Finished finished, Depth depth = Depth::Trials);

    /// Returns the command of batchpeak-worker, with one thread: with such small networks, several threads
    /// mostly wait for each other.
    static batchpeak::engine::WorkerCommand ownWorker(const QString& program);

    /// Runs all trials, and returns when all have ended.
    void run();

signals:
    void done();

private:
    void startWorker();
    void loadNext();
    void take(const batchpeak::trial::WorkerMessage& message);
    void takeResult(const batchpeak::trial::TrialResult& result);
    void workerEnded(const batchpeak::engine::WorkerEnd& end);
    void finish(const SequenceResult& result);

    batchpeak::engine::WorkerCommand m_worker;
    std::vector<batchpeak::trial::LoadRequest> m_loads;
    Finished m_finished;
    Depth m_depth;
    std::size_t m_next = 0;
    bool m_isAsked = false;
    QString m_problem;
    std::unique_ptr<batchpeak::engine::WorkerProcess> m_process;
    QTimer m_patience;
};
