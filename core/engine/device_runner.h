// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/host_memory.h"
#include "snapshot.h"
#include "trial/trial_request.h"
#include "worker_process.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>

namespace batchpeak::engine {

/// Everything that one device needs to run trials on its own.
struct DeviceSetup
{
    /// "cpu", "cuda:0": the word of the command line.
    QString id;
    WorkerCommand command;
    /// memoryLimitBytes is filled in when the worker has told what the device has.
    trial::LoadRequest load;
    std::optional<std::int64_t> memoryLimitBytes;
    double headroom = 0.08;
    WorkerTimeouts timeouts;
    /// ExplorationParts::memoryKills
    std::function<std::int64_t()> memoryKills = [] { return device::memoryKills(); };
};

/// How a trial on a device ended.
struct TrialEnd
{
    trial::TrialResult result;
    /// The worker went away, fell silent or spoke nonsense. That need not be the size's fault, so the
    /// trial may be repeated.
    bool workerLost = false;
};

/// One device of an exploration: keeps a worker with the loaded network on it and runs one trial at a
/// time there.
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
    /// Only while isFree().
    void runTrial(const trial::TrialRequest& request);
    /// Puts a fresh worker in the place of the present one; only while isFree(). ready() follows.
    void renew();
    /// Cancels what runs and ends the worker; trialEnded() where a trial ran, then ended().
    void end();

    /// That the present worker was asked for.
    int trialsOfWorker() const { return m_trialsOfWorker; }
    bool isFree() const { return m_stage == Stage::Free; }
    bool isGivenUp() const { return m_stage == Stage::GivenUp; }
    bool hasEnded() const { return m_stage == Stage::Ended || isGivenUp(); }
    const DeviceSnapshot& snapshot() const { return m_snapshot; }
    /// Why the last worker was lost, and the last lines that it wrote on stderr.
    const QString& problem() const { return m_problem; }
    const QStringList& lastLines() const { return m_lastLines; }

    void setTelemetry(const Telemetry& telemetry) { m_snapshot.telemetry = telemetry; }

signals:
    /// A worker holds the network: the first time and after each restart.
    void ready();
    void stepTaken(const batchpeak::trial::Step& step);
    void trialEnded(const batchpeak::engine::TrialEnd& end);
    /// No more trials will run here; problem() says why.
    void gaveUp();
    /// end() has come to its end.
    void ended();
    void said(batchpeak::engine::LogLevel level, const QString& text);

private:
    enum class Stage { Off, Greeting, Loading, Free, Busy, Losing, Renewing, GivenUp, Ended };

    void launch();
    void wait(std::chrono::milliseconds limit, const QString& sentenceWhenOver);
    void lose(const QString& sentence);
    void workerEnded(const WorkerEnd& end);
    void finishTrial(trial::TrialResult result, bool workerLost);
    void giveUpOrRelaunch();

    void receive(const trial::WorkerHello& hello);
    void receive(const trial::Loaded& loaded);
    void receive(const trial::Step& step);
    void receive(const trial::TrialResult& result);
    void receive(const trial::TrainingReady& ready);
    void receive(const trial::BatchResult& result);
    void receive(const trial::Saved& saved);
    void receive(const trial::Log& log);
    void receive(const trial::WorkerError& error);
    void loseForTraining();
    bool isOldTrial(std::int64_t id) const;

    DeviceSetup m_setup;
    DeviceSnapshot m_snapshot;
    Stage m_stage = Stage::Off;
    std::unique_ptr<WorkerProcess, void (*)(WorkerProcess*)> m_worker;
    QTimer m_wait;
    QString m_sentenceWhenOver;
    std::optional<trial::TrialRequest> m_trial;
    /// Trials asked earlier, whose late answers are no offence.
    std::set<std::int64_t> m_asked;
    bool m_endRequested = false;
    bool m_silent = false;
    int m_failuresInARow = 0;
    int m_trialsOfWorker = 0;
    QString m_loss;
    QString m_problem;
    QStringList m_lastLines;
};

} // namespace batchpeak::engine
