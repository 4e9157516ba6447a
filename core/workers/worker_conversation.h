// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/memory_kills.h"
#include "device/processor_watch.h"
#include "device_identity.h"
#include "device_state.h"
#include "files/trusted_code.h"
#include "long_timer.h"
#include "place_launch.h"
#include "stuck_workers.h"
#include "trial/protocol.h"
#include "worker_process.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>

namespace batchpeak::engine {

/// Everything that one device needs to run trials or a training.
struct DeviceSetup
{
    /// Name of the device on the command line: "cpu", "cuda:0".
    QString id;
    /// Version of the device's driver; empty if there is none, or if it is not reported.
    QString driver = {};
    WorkerCommand command;
    /// Reader of the processor time of other programs, if WaitPolicy may change how the worker's threads
    /// wait; else empty.
    device::ProcessorReader processorReadings = {};
    /// Request to load the network; its memoryLimitBytes is filled in when the worker has reported the
    /// device's memory.
    trial::LoadRequest load;
    /// Content of the network's code that the user allowed to run; no other content is loaded.
    CodeContent code = {};
    std::optional<std::int64_t> memoryLimitBytes;
    double headroom = 0.08;
    WorkerTimeouts timeouts;
    /// See ExplorationParts::memoryKills.
    std::function<device::MemoryKills()> memoryKills = [] { return device::MemoryKills(); };
    /// See DeviceLease::stuckWorkers.
    std::shared_ptr<StuckWorkers> stuckWorkers = std::make_shared<StuckWorkers>();
    /// Place of the device, and how long to try to reach it again; no value for a device of this computer.
    std::optional<Place> place = {};
    std::chrono::milliseconds reconnectFor = std::chrono::minutes(10);
    /// Device of earlier measurements that remain valid; empty if the first worker determines it.
    DeviceIdentity known = {};
};

/// Reason that a worker no longer exists.
struct WorkerLoss
{
    /// Problem, as a full sentence.
    QString problem;
    /// Last lines that it wrote to stderr.
    QStringList lastLines;
    /// Whether it was killed because it exceeded a time limit.
    bool timedOut = false;
    /// Whether it had loaded the network.
    bool heldNetwork = false;
    /// Whether the process cannot be ended, so that its device is unavailable.
    bool isStuck = false;
    /// Why the place could not be reached any more, if that and not the worker is the cause.
    std::optional<LostConnection> connection = {};
};

/// Conversation with the worker of one device: hello, the load of the network, then one request and its
/// answer at a time, until the process has certainly ended.
///
/// It decides how long to wait for each answer and which messages are invalid. A late answer to an earlier
/// request is ignored. Any other message that was not asked for ends the worker, and so does a device other
/// than the first worker's. It also negotiates the protocol version: if a program refuses the newest one, it
/// is started a second time. Its owner decides what to ask, and what the loss of a worker means.
class WorkerConversation : public QObject
{
    Q_OBJECT

public:
    explicit WorkerConversation(DeviceSetup setup, QObject* parent = nullptr);

    /// Starts a process; loaded() or ended() follows. ended() follows at once if a process is stuck on the
    /// device. Another process may be started after that.
    /// \param environment  "NAME=value", in addition to that of the command
    void start(const QStringList& environment = {});

    /// Sends a request; only while isFree(), and with a number that no earlier request had. answered() or
    /// ended() follows.
    void ask(const trial::TrialRequest& request);
    /// Requires trial::knowsComparisons(protocol()).
    void ask(const trial::CompareRequest& request);
    void ask(const trial::TrainingRequest& request);
    void ask(const trial::BatchRequest& request);
    void ask(const trial::SaveRequest& request);
    /// Asks for an early answer to a trial, a comparison or a batch; a worker that does not give one is
    /// killed.
    void cancel();
    /// Ends the process, whatever it is doing; ended() follows.
    void end();
    /// Same as WorkerProcess::killAtOnce().
    void killAtOnce();

    /// Whether there is no process.
    bool hasEnded() const { return m_stage == Stage::Off; }
    /// Whether the network is loaded and no answer is pending.
    bool isFree() const { return m_stage == Stage::Open && !m_asked; }

    /// Version of the protocol that the worker speaks; 0 before the first hello.
    int protocol() const { return m_protocol; }

    /// Returns the time that is left until the link to the place counts as dead, if nothing has been heard
    /// for at least half of the time that this takes; no value otherwise, and for a device of this computer.
    std::optional<std::chrono::milliseconds> leftOfSilence() const;

    /// Returns the time since the process said hello, from which its own clock counts; 0 before the first
    /// hello.
    double secondsSinceHello() const;

    /// Identity of the device that all workers of this conversation run on, as far as they have reported it.
    const DeviceIdentity& identity() const { return m_setup.known; }

    /// Device as described by the worker. The owner of the conversation fills in telemetry and the number of
    /// restarts.
    DeviceSnapshot& device() { return m_device; }
    const DeviceSnapshot& device() const { return m_device; }

signals:
    void loaded(const batchpeak::trial::Loaded& loaded);
    /// Emitted for each step of the trial, the comparison or the batch under way.
    void stepTaken(const batchpeak::trial::Step& step);
    /// Emitted with the answer that belongs to the request: the result of a trial, a comparison or a batch,
    /// "training ready" or "saved".
    void answered(const batchpeak::trial::WorkerMessage& answer);
    /// Emitted once for each start(): no process is left, and none will be started.
    void ended(const batchpeak::engine::WorkerLoss& loss);
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    // Refused: the program does not accept the offered version and is restarted once it is gone.
    enum class Stage { Off, Greeting, Refused, Loading, Open, Closing };
    enum class Kind { Trial, Comparison, Training, Batch, Save };
    struct Asked
    {
        Kind kind = Kind::Trial;
        std::int64_t id = 0;
        std::int64_t microBatchSize = 0;
        /// Most timed steps of a trial or a comparison, or number of micro-batches of a batch; and how many
        /// of them were reported.
        std::int64_t steps = 0;
        std::int64_t stepsTaken = 0;
        std::optional<trial::CompareRequest> comparison = {};
        bool isCancelled = false;
    };

    void send(const Asked& asked, const trial::ParentMessage& request);
    void wait(std::chrono::milliseconds limit, const QString& sentenceWhenOver);
    void waitForTrial(double timeLimitSeconds);
    void waitForBatch();
    void launch(int protocol);
    void refuseBeside(qint64 stuckPid);
    bool mayOfferLess() const;
    void refuse(const QString& why);
    void logRefusal(const QString& why);
    void lose(const QString& sentence);
    void processEnded(const WorkerEnd& end);

    void receive(const trial::WorkerHello& hello);
    void receive(const trial::Loaded& loaded);
    void receive(const trial::Step& step);
    bool isNews(const trial::Step& step);
    void receive(const trial::TrialResult& result);
    void noteAttention(const std::string& kernel);
    void receive(const trial::TrainingReady& ready);
    void receive(const trial::BatchResult& result);
    void receive(const trial::Saved& saved);
    void receive(const trial::Heartbeat& heartbeat);
    void receive(const trial::Log& log);
    void receive(const trial::WorkerError& error);
    void beginHeartbeats();
    void loseConnection();
    void load();
    bool isShortOfMemory(const trial::Loaded& loaded) const;
    bool waitsForMemory(const trial::Loaded& loaded);
    void takeLowerLimit(std::int64_t limitBytes);
    bool isAnswer(Kind kind, std::int64_t id);
    bool mayEndSo(trial::Outcome outcome);
    void takeAnswer(const trial::WorkerMessage& answer);
    template<typename Result>
    void takeResult(const Result& result);
    void loseForTraining();
    QString cannotTrainText(const QString& why) const;

    DeviceSetup m_setup;
    /// Environment in addition to that of the command.
    QStringList m_environment;
    DeviceSnapshot m_device;
    Stage m_stage = Stage::Off;
    /// Version that was last offered to the program; and the version that it answered, in this process or an
    /// earlier one.
    int m_offered = trial::protocolVersion;
    int m_protocol = 0;
    /// Number of times that the current process was asked to load the network.
    int m_loads = 0;
    QElapsedTimer m_sinceHello;
    std::unique_ptr<WorkerProcess, void (*)(WorkerProcess*)> m_process;
    LongTimer m_wait;
    /// Timer for log lines while waiting for a start, and the time since the start.
    QTimer m_signOfWaiting;
    QElapsedTimer m_sinceStart;
    /// Timers of the link to a place: until the next heartbeat is sent, and until the link is dead because
    /// nothing was heard.
    QTimer m_nextHeartbeat;
    QTimer m_silence;
    QString m_sentenceWhenOver;
    std::optional<Asked> m_asked;
    /// Number of step messages since the last request, whatever request they belong to.
    std::int64_t m_stepLines = 0;
    /// Numbers of earlier requests; late answers to them are ignored.
    std::set<std::int64_t> m_earlier;
    /// Whether a training was requested; if so, trials cannot be.
    bool m_trains = false;
    bool m_heldNetwork = false;
    bool m_timedOut = false;
    /// Reason that the worker is being killed; empty if it ends by itself or was asked to.
    QString m_loss;
    /// Set if it is being killed because the link to its place is dead.
    std::optional<LostConnection> m_lostConnection;
};

} // namespace batchpeak::engine
