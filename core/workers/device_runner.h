// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"
#include "wait_policy.h"
#include "worker_conversation.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <optional>

namespace batchpeak::engine {

/// One device of an exploration. It keeps a worker with the loaded network on the device and runs one trial
/// at a time, of one size or of several that are compared.
///
/// It turns everything that can happen to a trial into a result: an answer, a crash, a worker that stops
/// responding, a protocol violation. A lost worker is replaced by a fresh one; after two failures in a row
/// the device is given up. A place whose connection is lost is tried again for a while. It does not decide
/// which size is tried, or whether a lost trial is repeated.
class DeviceRunner : public QObject
{
    Q_OBJECT

public:
    explicit DeviceRunner(DeviceSetup setup, QObject* parent = nullptr);

    void start();
    /// Runs a trial; only while isFree().
    void runTrial(const trial::TrialRequest& request);
    /// Compares sizes; only while isFree() and if canCompare(). Like a trial, it ends with trialEnded().
    void compare(const trial::CompareRequest& request);
    /// Whether the worker's version of the protocol has comparisons; undefined before ready().
    bool canCompare() const { return trial::knowsComparisons(m_worker.protocol()); }
    /// Replaces the worker by a fresh one; only while isFree(). ready() follows.
    void renew();
    /// Does the same if the threads of the current worker wait differently than WaitPolicy now requires.
    /// \return whether the worker is being replaced
    bool renewForCompany();
    /// Cancels the running trial, if there is one. trialEnded() follows, with the outcome Cancelled unless
    /// the trial was over before. A worker that ignores the request is replaced.
    void skip();
    /// Whether skip() was called for the running trial.
    bool isSkipping() const { return m_trial && m_skipRequested; }
    /// Ends the worker unless it runs a trial, and starts none until wake(); rested() follows.
    void rest();
    /// Starts a worker again after rest(); ready() follows.
    void wake();
    /// Cancels the running trial and ends the worker; trialEnded() follows if a trial was running, then
    /// ended().
    void end();
    /// Same as WorkerProcess::killAtOnce().
    void killAtOnce() { m_worker.killAtOnce(); }

    /// Number of trials that the current worker was asked for, comparisons included.
    int trialsOfWorker() const { return m_trialsOfWorker; }
    bool isFree() const { return m_worker.isFree(); }
    bool isGivenUp() const { return m_stage == Stage::GivenUp; }
    /// Whether the runner rests after rest() and has no process left; wake() starts one.
    bool isAtRest() const { return m_stage == Stage::Resting && m_worker.hasEnded(); }
    bool hasEnded() const { return m_stage == Stage::Ended || isGivenUp(); }
    const DeviceSnapshot& snapshot() const { return m_worker.device(); }
    /// Reason that the last worker was lost, and the last lines that it wrote to stderr.
    const QString& problem() const { return m_loss.problem; }
    /// Whether the last worker was lost because its place could not be reached any more.
    bool isUnreachable() const { return m_loss.connection.has_value(); }
    const QStringList& lastLines() const { return m_loss.lastLines; }

    void setTelemetry(const Telemetry& telemetry);

signals:
    /// Emitted when a worker has loaded the network: the first time and after each restart.
    void ready();
    void stepTaken(const batchpeak::trial::Step& step);
    /// \param result  result of the trial. For a comparison it has `compared`, and its microBatchSize is 0 if
    ///        no size ended it, or if the worker was lost and the size is unknown.
    /// \param workerLost  whether the worker died, stopped responding or violated the protocol. The size need
    ///        not be the cause, so the trial may be repeated. With the outcome Cancelled: the connection to
    ///        the place of the device was lost, so that the trial says nothing.
    /// \param workerSeconds  time since the worker's hello
    void trialEnded(const batchpeak::trial::TrialResult& result, bool workerLost, double workerSeconds);
    /// Emitted when rest() is complete.
    void rested();
    /// Emitted when no more trials will run here; problem() gives the reason.
    void gaveUp();
    /// Emitted when end() is complete.
    void ended();
    void logged(batchpeak::engine::LogLevel level, const QString& text);
    /// Emitted when the connection of snapshot() has changed.
    void connectionChanged();

private:
    enum class Stage { Off, Running, Renewing, Reconnecting, Resting, GivenUp, Ended };
    struct Running
    {
        std::int64_t id = 0;
        /// Size of the trial; no value in a comparison.
        std::optional<std::int64_t> microBatchSize;
    };

    void launch();
    void setConnection(const Connection& connection);
    template<typename Request>
    void ask(const Running& running, const Request& request);
    void takeResult(const trial::TrialResult& result);
    void takeLoss(const WorkerLoss& loss);
    void finishTrial(trial::TrialResult result, bool workerLost);
    bool reconnect(const WorkerLoss& loss);
    bool isUnreachable(const WorkerLoss& loss) const;
    void takeConnection();
    void giveUpOrRelaunch();
    void conclude();

    /// Policy for the waiting of the worker's threads; no value if their default is kept.
    std::optional<WaitPolicy> m_waiting;
    device::ProcessorReader m_processorReadings;
    const std::chrono::milliseconds m_reconnectFor;
    const bool m_isHere;
    WorkerConversation m_worker;
    /// Whether the threads of the current worker sleep while they wait.
    bool m_sleeps = false;
    Stage m_stage = Stage::Off;
    std::optional<Running> m_trial;
    bool m_skipRequested = false;
    bool m_endRequested = false;
    int m_failuresInARow = 0;
    /// Whether a worker has ever loaded the network here.
    bool m_wasReady = false;
    /// Started again and again while the place of the device cannot be reached.
    QTimer m_untilNextTry;
    std::chrono::milliseconds m_nextTryAfter{};
    /// Number of connections that were lost since the last answer.
    int m_connectionsLost = 0;
    /// Time since the connection was lost; invalid while there is one.
    QElapsedTimer m_sinceLost;
    QDateTime m_triesUntil;
    int m_trialsOfWorker = 0;
    WorkerLoss m_loss;
};

} // namespace batchpeak::engine
