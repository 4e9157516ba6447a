// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/memory_kills.h"
#include "device/processor_watch.h"
#include "device_identity.h"
#include "device_state.h"
#include "files/trusted_code.h"
#include "long_timer.h"
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

/// Everything that one device needs to run trials or a training on its own.
struct DeviceSetup
{
    /// "cpu", "cuda:0": the word of the command line.
    QString id;
    /// Version of the device's driver; empty where there is none, or where it is not told.
    QString driver = {};
    WorkerCommand command;
    /// What else its processors are used for, where its threads may wait otherwise than PyTorch has it, by
    /// WaitPolicy; else empty.
    device::ProcessorReader processorReadings = {};
    /// memoryLimitBytes is filled in when the worker has told what the device has.
    trial::LoadRequest load;
    /// What was let run of the network's code; nothing else is loaded.
    CodeContent code = {};
    std::optional<std::int64_t> memoryLimitBytes;
    double headroom = 0.08;
    WorkerTimeouts timeouts;
    /// ExplorationParts::memoryKills
    std::function<device::MemoryKills()> memoryKills = [] { return device::MemoryKills(); };
    /// DeviceLease::stuckWorkers
    std::shared_ptr<StuckWorkers> stuckWorkers = std::make_shared<StuckWorkers>();
    /// Where something was measured before that counts; empty where the first worker tells.
    DeviceIdentity known = {};
};

/// Why a worker is no longer there.
struct WorkerLoss
{
    /// A full sentence.
    QString problem;
    /// The last lines that it wrote on stderr.
    QStringList lastLines;
    /// It was killed, since it kept its owner waiting for too long.
    bool timedOut = false;
    /// It had loaded the network before.
    bool heldNetwork = false;
    /// Nothing ends it, and its device is not to be had.
    bool isStuck = false;
};

/// What is said to the worker of one device and back: hello, the load of the network, then one request and
/// its answer at a time, until the process has certainly ended.
///
/// It decides how long each answer is waited for, and which message is none: an answer to an earlier request
/// is late and left out, any other that was not asked for ends the worker, and so does another device than
/// the one of the first worker. It also finds the version of the protocol that both sides speak, where a
/// program refuses the newest by starting it a second time. What is asked, and what the loss of a worker
/// means, is its owner's decision.
class WorkerConversation : public QObject
{
    Q_OBJECT

public:
    explicit WorkerConversation(DeviceSetup setup, QObject* parent = nullptr);

    /// Starts a process; loaded() follows, or ended(), as it does at once where one is stuck on the device.
    /// Another one may be started after that.
    /// \param environment  "NAME=value", beside that of the command
    void start(const QStringList& environment = {});

    /// The requests: only while isFree(), with a number that none had before; answered() follows, or ended().
    void ask(const trial::TrialRequest& request);
    /// Only where trial::knowsComparisons(protocol()).
    void ask(const trial::CompareRequest& request);
    void ask(const trial::TrainingRequest& request);
    void ask(const trial::BatchRequest& request);
    void ask(const trial::SaveRequest& request);
    /// Asks for an early answer to a trial, a comparison or a batch; a worker that gives none is killed.
    void cancel();
    /// Ends the process, whatever it does; ended() follows.
    void end();
    /// As of WorkerProcess.
    void killAtOnce();

    /// No process is there.
    bool hasEnded() const { return m_stage == Stage::Off; }
    /// The network is loaded, and no answer is waited for.
    bool isFree() const { return m_stage == Stage::Open && !m_asked; }

    /// The version of the protocol that the worker speaks; 0 before the first hello.
    int protocol() const { return m_protocol; }

    /// How long ago the process said hello, which its own clock counts from; 0 before the first hello.
    double secondsSinceHello() const;

    /// That all its workers run on, as far as they have told.
    const DeviceIdentity& identity() const { return m_setup.known; }

    /// What the worker has told of its device. Telemetry and the number of restarts are filled in by the
    /// owner of the conversation.
    DeviceSnapshot& device() { return m_device; }
    const DeviceSnapshot& device() const { return m_device; }

signals:
    void loaded(const batchpeak::trial::Loaded& loaded);
    /// Of the trial, the comparison or the batch that was asked for.
    void stepTaken(const batchpeak::trial::Step& step);
    /// The result of a trial, a comparison or a batch, "training ready" or "saved": whichever belongs to the
    /// request.
    void answered(const batchpeak::trial::WorkerMessage& answer);
    /// Once for each start(): no process is left, and none will be started.
    void ended(const batchpeak::engine::WorkerLoss& loss);
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    // Refused: the program does not take the version that was offered, and is started again when it is gone.
    enum class Stage { Off, Greeting, Refused, Loading, Open, Closing };
    enum class Kind { Trial, Comparison, Training, Batch, Save };
    struct Asked
    {
        Kind kind = Kind::Trial;
        std::int64_t id = 0;
        std::int64_t microBatchSize = 0;
        /// Timed ones of a trial or a comparison at most, or micro-batches of a batch; and those that were
        /// reported.
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
    void receive(const trial::Log& log);
    void receive(const trial::WorkerError& error);
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
    /// Beside that of the command.
    QStringList m_environment;
    DeviceSnapshot m_device;
    Stage m_stage = Stage::Off;
    /// What the program was last offered; and what it answered, in this process or an earlier one.
    int m_offered = trial::protocolVersion;
    int m_protocol = 0;
    /// How often the present process was asked to load the network.
    int m_loads = 0;
    QElapsedTimer m_sinceHello;
    std::unique_ptr<WorkerProcess, void (*)(WorkerProcess*)> m_process;
    LongTimer m_wait;
    /// While a start is waited for, and since when it is.
    QTimer m_signOfWaiting;
    QElapsedTimer m_sinceStart;
    QString m_sentenceWhenOver;
    std::optional<Asked> m_asked;
    /// Since the last request, whatever they are of.
    std::int64_t m_stepLines = 0;
    /// Numbers of earlier requests, whose late answers are no offense.
    std::set<std::int64_t> m_earlier;
    /// A training was asked for, and no trial can be.
    bool m_trains = false;
    bool m_heldNetwork = false;
    bool m_timedOut = false;
    /// Why the worker is being killed; empty where it goes of its own accord, or was asked to.
    QString m_loss;
};

} // namespace batchpeak::engine
