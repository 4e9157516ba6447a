// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"
#include "wait_policy.h"
#include "worker_conversation.h"

#include <QObject>

#include <functional>
#include <optional>

namespace batchpeak::engine {

/// One device of an exploration: keeps a worker with the loaded network on it and runs one trial at a
/// time there, of one size or of some that are compared.
///
/// It makes a result of everything that can happen to a trial: an answer, a crash, silence, nonsense. A
/// lost worker is replaced by a fresh one; when that fails twice in a row the device is given up.
/// Which size is tried, and whether a lost trial is repeated, is not decided here.
class DeviceRunner : public QObject
{
    Q_OBJECT

public:
    explicit DeviceRunner(DeviceSetup setup, QObject* parent = nullptr);

    void start();
    /// Runs a trial; only while isFree().
    void runTrial(const trial::TrialRequest& request);
    /// Compares sizes; only while isFree() and where canCompare(). It ends as a trial does, with
    /// trialEnded().
    void compare(const trial::CompareRequest& request);
    /// What the worker speaks knows comparisons; not before it was ready().
    bool canCompare() const { return trial::knowsComparisons(m_worker.protocol()); }
    /// Puts a fresh worker in the place of the present one; only while isFree(). ready() follows.
    void renew();
    /// The same where the threads of the present worker wait otherwise than they should by now.
    /// \return whether it is so
    bool renewForCompany();
    /// Cancels the trial that runs, where one does; trialEnded() follows, as cancelled unless it was over
    /// before. A worker that does not heed it is replaced.
    void skip();
    /// Whether skip() was called for the trial that runs.
    bool isSkipping() const { return m_trial && m_skipRequested; }
    /// Ends the worker, whatever it does but run a trial, and starts none until wake(); isAtRest() follows.
    void rest();
    /// Starts a worker again after rest(); ready() follows.
    void wake();
    /// Cancels what runs and ends the worker; trialEnded() where a trial ran, then ended().
    void end();
    /// As of WorkerProcess.
    void killAtOnce() { m_worker.killAtOnce(); }

    /// Trials that the present worker was asked for, comparisons included.
    int trialsOfWorker() const { return m_trialsOfWorker; }
    bool isFree() const { return m_worker.isFree(); }
    bool isGivenUp() const { return m_stage == Stage::GivenUp; }
    /// No process of it is left, and wake() starts one.
    bool isAtRest() const { return m_stage == Stage::Resting && m_worker.hasEnded(); }
    bool hasEnded() const { return m_stage == Stage::Ended || isGivenUp(); }
    const DeviceSnapshot& snapshot() const { return m_worker.device(); }
    /// Why the last worker was lost, and the last lines that it wrote on stderr.
    const QString& problem() const { return m_loss.problem; }
    const QStringList& lastLines() const { return m_loss.lastLines; }

    void setTelemetry(const Telemetry& telemetry);

signals:
    /// A worker holds the network: the first time and after each restart.
    void ready();
    void stepTaken(const batchpeak::trial::Step& step);
    /// \param result  that of a comparison has `compared`; its microBatchSize is 0 where no size ended it,
    /// nor
    ///        a lost worker's can be told
    /// \param workerLost  the worker went away, fell silent or spoke nonsense. That need not be the size's
    ///        fault, so the trial may be repeated.
    /// \param workerSeconds  how long ago the worker said hello
    void trialEnded(const batchpeak::trial::TrialResult& result, bool workerLost, double workerSeconds);
    /// rest() has come to its end.
    void rested();
    /// No more trials will run here; problem() says why.
    void gaveUp();
    /// end() has come to its end.
    void ended();
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    enum class Stage { Off, Running, Renewing, Resting, GivenUp, Ended };
    struct Running
    {
        std::int64_t id = 0;
        /// Nothing in a comparison.
        std::optional<std::int64_t> microBatchSize;
    };

    void launch();
    template<typename Request>
    void ask(const Running& running, const Request& request);
    void takeResult(const trial::TrialResult& result);
    void takeLoss(const WorkerLoss& loss);
    void finishTrial(trial::TrialResult result, bool workerLost);
    void giveUpOrRelaunch();
    void conclude();

    /// Nothing where the worker's threads wait as they like.
    std::optional<WaitPolicy> m_waiting;
    device::ProcessorReader m_processorReadings;
    WorkerConversation m_worker;
    /// Those of the present worker do.
    bool m_sleeps = false;
    Stage m_stage = Stage::Off;
    std::optional<Running> m_trial;
    bool m_skipRequested = false;
    bool m_endRequested = false;
    int m_failuresInARow = 0;
    int m_trialsOfWorker = 0;
    WorkerLoss m_loss;
};

} // namespace batchpeak::engine
