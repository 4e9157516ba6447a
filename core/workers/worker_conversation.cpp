// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_conversation.h"

#include "comparison_answer.h"
#include "text/json_fields.h"
#include "text/readable_text.h"

#include <QTimer>

#include <algorithm>
#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

// A warm-up has fewer steps, and the tolerance covers steps that are reported twice or late.
constexpr std::int64_t spareSteps = 20'000;

// A worker's signals may lead to its own removal, so it must outlive the current call.
void dropLater(WorkerProcess* process)
{
    process->disconnect();
    process->deleteLater();
}

/// Stores what a worker reports of itself and its device. The memory limit is the free memory, or the
/// requested amount if that is smaller; the usable memory is the limit minus the headroom. Both are computed
/// once, since a fresh worker keeps those of the first one.
///
/// \param wanted    --memory-limit
/// \param headroom  share of the limit, 0..1
void takeHello(DeviceSnapshot& device, const trial::WorkerHello& hello, std::optional<std::int64_t> wanted,
               double headroom)
{
    const trial::DeviceDescription& told = hello.device;
    device.kind = QString::fromStdString(told.kind);
    device.name = QString::fromStdString(told.name);
    device.totalBytes = told.totalBytes;
    device.program = QString::fromStdString(hello.program);
    device.framework = QString::fromStdString(hello.framework);
    device.uuid = QString::fromStdString(told.uuid);
    device.allocatorSettings = QString::fromStdString(told.allocatorSettings);
    if (device.limitBytes != 0)
        return;
    if (told.freeBytes > 0)
        device.heldByOthersBytes =
            std::max<std::int64_t>(0, told.totalBytes - told.freeBytes - told.contextBytes);
    std::int64_t there = told.freeBytes > 0 ? told.freeBytes : told.totalBytes;
    if (told.limitBytes > 0)
        there = std::min(there, told.limitBytes);
    const std::int64_t asked = wanted.value_or(0);
    device.limitBytes = there > 0 && asked > 0 ? std::min(there, asked) : std::max(there, asked);
    device.usableBytes = static_cast<std::int64_t>(static_cast<double>(device.limitBytes) * (1.0 - headroom));
}

/// Removes steps, with their samples, in excess of both the requested number and the number of reported
/// durations.
trial::TrialResult believable(trial::TrialResult result, std::int64_t maxSteps)
{
    const std::int64_t max = std::max<std::int64_t>(std::ssize(result.stepSeconds), maxSteps);
    if (result.steps <= max)
        return result;
    // A step with samples of varying length is reported as the mean of several micro-batches.
    result.samples = result.samples / result.steps * max;
    result.steps = static_cast<int>(max);
    return result;
}

/// Returns the level at which a message is shown; nothing for messages that help only a worker's authors.
std::optional<LogLevel> shownLevel(trial::LogLevel level)
{
    switch (level) {
    case trial::LogLevel::Debug:
        return std::nullopt;
    case trial::LogLevel::Info:
        return LogLevel::Info;
    case trial::LogLevel::Warning:
        return LogLevel::Warning;
    case trial::LogLevel::Error:
        break;
    }
    return LogLevel::Error;
}

} // namespace

WorkerConversation::WorkerConversation(DeviceSetup setup, QObject* parent)
    : QObject(parent), m_setup(std::move(setup)), m_process(nullptr, dropLater)
{
    m_device.id = m_setup.id;
    m_device.driver = m_setup.driver;
    connect(&m_signOfWaiting, &QTimer::timeout, this, [this] {
        if (m_stage == Stage::Greeting)
            emit logged(LogLevel::Warning,
                        tr("The worker has not started after %1; a launcher may hold it in a queue.")
                            .arg(durationText(std::chrono::milliseconds(m_sinceStart.elapsed()))));
        else
            m_signOfWaiting.stop();
    });
    connect(&m_nextHeartbeat, &QTimer::timeout, this, [this] { m_process->send(trial::Heartbeat{}); });
    m_silence.setSingleShot(true);
    connect(&m_silence, &QTimer::timeout, this, &WorkerConversation::loseConnection);
    connect(&m_wait, &LongTimer::timeout, this, [this] {
        m_timedOut = true;
        lose(m_sentenceWhenOver);
    });
}

void WorkerConversation::start(const QStringList& environment)
{
    if (m_stage != Stage::Off)
        return;
    m_environment = environment;
    if (const qint64 pid = m_setup.stuckWorkers->pidOn(m_setup.id))
        return refuseBeside(pid);
    launch(m_protocol > 0 ? m_protocol : trial::protocolVersion);
}

/// Refuses to start, since two processes on one device disturb each other's times and memory.
void WorkerConversation::refuseBeside(qint64 stuckPid)
{
    m_stage = Stage::Closing;
    QTimer::singleShot(0, this, [this, stuckPid] {
        m_stage = Stage::Off;
        emit ended({.problem = tr("No worker is started on %1 beside process %2, which is stuck in a call of "
                                  "its driver. Restart the computer to get the device back.")
                                   .arg(m_setup.id)
                                   .arg(stuckPid),
                    .isStuck = true});
    });
}

void WorkerConversation::launch(int protocol)
{
    m_stage = Stage::Greeting;
    m_offered = protocol;
    m_loss.clear();
    m_lostConnection.reset();
    m_timedOut = false;
    m_heldNetwork = false;
    m_process.reset(new WorkerProcess(m_setup.timeouts, m_setup.memoryKills, this));
    WorkerProcess* process = m_process.get();
    connect(process, &WorkerProcess::messageReceived, this, [this](const trial::WorkerMessage& message) {
        if (m_silence.isActive())
            m_silence.start();
        std::visit([this](const auto& value) { receive(value); }, message);
    });
    connect(process, &WorkerProcess::protocolViolated, this, [this](const QString& sentence) {
        lose(tr("The worker does not keep to the trial protocol. %1").arg(sentence));
    });
    connect(process, &WorkerProcess::ended, this, &WorkerConversation::processEnded);
    wait(m_setup.timeouts.startUp,
         tr("The worker did not say hello within %1; give it longer with --start-timeout.")
             .arg(durationText(m_setup.timeouts.startUp)));
    m_sinceStart.start();
    m_signOfWaiting.start(m_setup.timeouts.signOfWaiting);
    WorkerCommand command = m_setup.command;
    command.environment += m_environment;
    process->start(command);
    m_device.workerPid = process->pid();
    const bool asksForHeartbeats = m_setup.place && trial::knowsHeartbeats(protocol);
    const std::chrono::duration<double> heartbeat = m_setup.timeouts.heartbeat;
    process->send(
        trial::Hello{.protocol = protocol, .heartbeatSeconds = asksForHeartbeats ? heartbeat.count() : 0.0});
}

double WorkerConversation::secondsSinceHello() const
{
    return m_sinceHello.isValid() ? static_cast<double>(m_sinceHello.nsecsElapsed()) * 1e-9 : 0.0;
}

void WorkerConversation::ask(const trial::TrialRequest& request)
{
    waitForTrial(request.timeLimitSeconds);
    send({.kind = Kind::Trial,
          .id = request.id,
          .microBatchSize = request.microBatchSize,
          .steps = request.maxSteps},
         request);
}

void WorkerConversation::ask(const trial::CompareRequest& request)
{
    waitForTrial(request.timeLimitSeconds);
    const auto visits = static_cast<std::int64_t>(request.microBatchSizes.size()) * request.visits;
    send({.kind = Kind::Comparison, .id = request.id, .steps = visits * request.steps, .comparison = request},
         request);
}

void WorkerConversation::ask(const trial::TrainingRequest& request)
{
    m_trains = true;
    wait(m_setup.timeouts.training,
         tr("The worker did not get ready to train within %1.").arg(durationText(m_setup.timeouts.training)));
    send({.kind = Kind::Training}, request);
}

void WorkerConversation::ask(const trial::BatchRequest& request)
{
    waitForBatch();
    // The number of steps is the number of micro-batches.
    send({.kind = Kind::Batch,
          .id = request.id,
          .microBatchSize = request.microBatchSize,
          .steps = (request.samples + request.microBatchSize - 1) / request.microBatchSize},
         request);
}

void WorkerConversation::ask(const trial::SaveRequest& request)
{
    wait(m_setup.timeouts.save,
         tr("The worker did not save the checkpoint within %1.").arg(durationText(m_setup.timeouts.save)));
    send({.kind = Kind::Save, .id = request.id}, request);
}

void WorkerConversation::send(const Asked& asked, const trial::ParentMessage& request)
{
    m_asked = asked;
    m_stepLines = 0;
    m_process->send(request);
}

void WorkerConversation::cancel()
{
    const bool canBeCancelled = m_asked && m_asked->kind != Kind::Training && m_asked->kind != Kind::Save;
    if (m_stage != Stage::Open || !canBeCancelled || std::exchange(m_asked->isCancelled, true))
        return;
    const auto limit = m_asked->kind == Kind::Batch ? m_setup.timeouts.cancelBatch : m_setup.timeouts.cancel;
    wait(limit, tr("The worker was killed, since it did not respond to a cancel within %1.")
                    .arg(durationText(limit)));
    m_process->send(trial::Cancel{.id = m_asked->id});
}

void WorkerConversation::end()
{
    if (m_stage == Stage::Off || m_stage == Stage::Closing)
        return;
    m_wait.stop();
    m_stage = Stage::Closing;
    // A busy worker does not read the request to exit.
    if (m_asked && m_asked->kind != Kind::Training)
        m_process->kill();
    else
        m_process->end();
}

void WorkerConversation::killAtOnce()
{
    if (m_process)
        m_process->killAtOnce();
}

void WorkerConversation::wait(std::chrono::milliseconds limit, const QString& sentenceWhenOver)
{
    m_sentenceWhenOver = sentenceWhenOver;
    m_wait.start(limit);
}

void WorkerConversation::waitForTrial(double timeLimitSeconds)
{
    const auto limit = boundedMilliseconds(timeLimitSeconds) + m_setup.timeouts.trialGrace;
    wait(limit, tr("The worker gave no answer within %1.").arg(durationText(limit)));
}

void WorkerConversation::waitForBatch()
{
    wait(m_setup.timeouts.batch, tr("The worker gave no sign of life in the middle of a batch for %1.")
                                     .arg(durationText(m_setup.timeouts.batch)));
}

/// Whether to try an older version. A program that has answered once did not end because of the version.
bool WorkerConversation::mayOfferLess() const
{
    return m_protocol == 0 && m_offered > trial::firstProtocolVersion;
}

/// Ends a program that does not accept the offered version; a fresh process is offered the first version.
void WorkerConversation::refuse(const QString& why)
{
    if (!mayOfferLess())
        return lose(why);
    m_wait.stop();
    m_stage = Stage::Refused;
    m_process->end();
    logRefusal(why);
}

void WorkerConversation::logRefusal(const QString& why)
{
    emit logged(LogLevel::Info,
                tr("%1: the worker did not say hello in version %2 of the trial protocol; a fresh "
                   "one is asked for version %3. %4")
                    .arg(m_setup.id)
                    .arg(trial::protocolVersion)
                    .arg(trial::firstProtocolVersion)
                    .arg(why));
}

void WorkerConversation::lose(const QString& sentence)
{
    m_wait.stop();
    m_nextHeartbeat.stop();
    m_silence.stop();
    m_stage = Stage::Closing;
    m_loss = sentence;
    m_process->kill();
}

void WorkerConversation::processEnded(const WorkerEnd& end)
{
    m_wait.stop();
    m_nextHeartbeat.stop();
    m_silence.stop();
    if (end.isStuck)
        m_setup.stuckWorkers->add(m_setup.id, m_device.workerPid);
    m_device.workerPid = 0;
    if (m_stage == Stage::Refused && !end.isStuck)
        return launch(trial::firstProtocolVersion);
    auto connection = m_lostConnection;
    if (!connection && m_setup.place && m_loss.isEmpty())
        connection = lostConnection(*m_setup.place, end);
    if (m_stage == Stage::Greeting && end.exitCode && !connection && mayOfferLess()) {
        launch(trial::firstProtocolVersion);
        return logRefusal(end.sentence);
    }
    m_stage = Stage::Off;
    if (m_asked)
        m_earlier.insert(m_asked->id);
    m_asked.reset();
    emit ended({.problem = m_loss.isEmpty() ? (connection ? connection->sentence : end.sentence)
                           : end.isStuck    ? m_loss + QLatin1Char(' ') + end.sentence
                                            : m_loss,
                .lastLines = end.lastLines,
                .timedOut = m_timedOut,
                .heldNetwork = m_heldNetwork,
                .isStuck = end.isStuck,
                .connection = connection});
}

void WorkerConversation::receive(const trial::WorkerHello& hello)
{
    if (m_stage != Stage::Greeting)
        return lose(tr("The worker said hello a second time."));
    if (hello.protocol > m_offered)
        return refuse(
            tr("The worker speaks version %1 of the trial protocol, and this program versions up to "
               "%2; install versions that belong together.")
                .arg(hello.protocol)
                .arg(trial::protocolVersion));
    // The requests depend on the version of the first worker.
    if (hello.protocol < m_protocol)
        return lose(
            tr("The worker speaks version %1 of the trial protocol, where one before it spoke version %2; "
               "install the same program for all of them.")
                .arg(hello.protocol)
                .arg(m_protocol));
    const DeviceIdentity identity = identityOf(hello.device);
    if (areTwo(m_setup.known, identity))
        return lose(otherDeviceText(m_setup.known, identity));
    m_setup.known = completed(m_setup.known, identity);
    m_stage = Stage::Loading;
    m_protocol = hello.protocol;
    m_sinceHello.start();
    beginHeartbeats();
    takeHello(m_device, hello, m_setup.memoryLimitBytes, m_setup.headroom);
    m_setup.load.memoryLimitBytes = m_device.usableBytes;
    m_loads = 0;
    load();
}

/// Watches the link to a place, whose silence may be that of a long step or that of a link that is cut.
void WorkerConversation::beginHeartbeats()
{
    if (!m_setup.place || !trial::knowsHeartbeats(m_protocol))
        return;
    m_nextHeartbeat.start(m_setup.timeouts.heartbeat);
    m_silence.start(trial::heartbeatsUntilDead * m_setup.timeouts.heartbeat);
}

void WorkerConversation::loseConnection()
{
    const QString sentence =
        tr("Nothing was heard of %1 for %2, so the connection is lost.")
            .arg(m_setup.id, durationText(trial::heartbeatsUntilDead * m_setup.timeouts.heartbeat));
    m_lostConnection = LostConnection{.sentence = sentence, .mayReturn = true};
    lose(sentence);
}

void WorkerConversation::load()
{
    // Each worker reads the file again when it starts.
    if (const QString problem = m_setup.code.problem(); !problem.isEmpty())
        return lose(problem);
    ++m_loads;
    wait(m_setup.timeouts.load,
         tr("The worker did not load the network within %1.").arg(durationText(m_setup.timeouts.load)));
    m_process->send(m_setup.load);
}

void WorkerConversation::receive(const trial::Loaded& loaded)
{
    if (m_stage != Stage::Loading)
        return lose(tr("The worker said that it loaded a network without being asked to."));
    m_wait.stop();
    if (isShortOfMemory(loaded) && waitsForMemory(loaded))
        return;
    if (isShortOfMemory(loaded))
        takeLowerLimit(loaded.limitBytes);
    m_stage = Stage::Open;
    m_heldNetwork = true;
    m_device.baselineBytes = loaded.baselineBytes;
    m_device.link = loaded.link;
    m_device.approximations.clear();
    for (const std::string& approximation : loaded.approximations)
        m_device.approximations << QString::fromStdString(approximation);
    emit this->loaded(loaded);
}

/// Whether less memory is usable than requested: the memory of a killed worker is not free yet, or another
/// program has taken some.
bool WorkerConversation::isShortOfMemory(const trial::Loaded& loaded) const
{
    // Allocators round limits by up to one block.
    constexpr double asGoodAs = 0.99;
    return loaded.limitBytes > 0 && static_cast<double>(loaded.limitBytes) <
                                        asGoodAs * static_cast<double>(m_setup.load.memoryLimitBytes);
}

/// \return whether the network will be loaded again
bool WorkerConversation::waitsForMemory(const trial::Loaded& loaded)
{
    if (m_loads > m_setup.timeouts.loadsForMemory)
        return false;
    if (m_loads == 1) {
        const auto [there, asked] = comparedBytesText(loaded.limitBytes, m_setup.load.memoryLimitBytes);
        emit logged(LogLevel::Info, tr("%1: %2 of memory can be used, %3 were asked for; the network is "
                                       "loaded again when more is free.")
                                        .arg(m_setup.id, there, asked));
    }
    QTimer::singleShot(m_setup.timeouts.untilMemoryIsBack, m_process.get(), [this] {
        if (m_stage == Stage::Loading)
            load();
    });
    return true;
}

/// Lowers the usable memory. Trials that need more would fail because of the missing memory, not because of
/// their size.
void WorkerConversation::takeLowerLimit(std::int64_t limitBytes)
{
    const auto [there, asked] = comparedBytesText(limitBytes, m_setup.load.memoryLimitBytes);
    emit logged(LogLevel::Warning,
                tr("%1: only %2 of memory can be used, %3 were asked for. Sizes are chosen by that; end "
                   "other programs on the device and start again to use all of it.")
                    .arg(m_setup.id, there, asked));
    m_device.usableBytes = limitBytes;
}

void WorkerConversation::receive(const trial::Step& step)
{
    if (++m_stepLines > (m_asked ? m_asked->steps : 0) + spareSteps)
        return lose(
            tr("The worker reported steps without an end, %1 more than it was asked for.").arg(spareSteps));
    if (m_earlier.contains(step.id))
        return;
    const bool isBatch = m_asked && m_asked->kind == Kind::Batch;
    const bool isTrial = m_asked && (m_asked->kind == Kind::Trial || m_asked->kind == Kind::Comparison);
    if ((!isBatch && !isTrial) || step.id != m_asked->id)
        return lose((m_trains ? tr("The worker reported a step of batch %1, which it was not asked for.")
                              : tr("The worker reported a step of trial %1, which it was not asked for."))
                        .arg(step.id));
    if (!isNews(step))
        return;
    if (isBatch && !m_asked->isCancelled)
        waitForBatch();
    emit stepTaken(step);
}

/// Whether the step is progress of the request: a step that is reported twice, or beyond the requested
/// number, is no sign of life.
bool WorkerConversation::isNews(const trial::Step& step)
{
    if (m_asked->kind == Kind::Batch) {
        const bool isFurther = step.index >= m_asked->stepsTaken && step.index < m_asked->steps;
        if (isFurther)
            m_asked->stepsTaken = step.index + std::int64_t{1};
        return isFurther;
    }
    return step.phase == trial::StepPhase::Warmup || ++m_asked->stepsTaken <= m_asked->steps;
}

void WorkerConversation::receive(const trial::TrialResult& result)
{
    if (m_trains)
        return lose(tr("The worker spoke of a trial that it was not asked for."));
    const bool isCompared = m_asked && m_asked->kind == Kind::Comparison;
    if (!isAnswer(isCompared ? Kind::Comparison : Kind::Trial, result.id))
        return;
    if (!isCompared && !result.compared.empty())
        return lose(tr("The worker answered with a comparison where one size was asked for."));
    if (!mayEndSo(result.outcome))
        return;
    noteAttention(result.attention);
    if (!isCompared)
        return takeResult(believable(result, m_asked->steps));
    if (const QString problem = problemWith(result, *m_asked->comparison); !problem.isEmpty())
        return lose(problem);
    takeAnswer(result);
}

/// Logs each new kernel once: the kernel determines the time and the memory of long sequences.
void WorkerConversation::noteAttention(const std::string& kernel)
{
    const QString name = QString::fromStdString(kernel);
    if (name.isEmpty() || std::exchange(m_device.attention, name) == name)
        return;
    const QString text = tr("%1: attention is computed by the kernel \"%2\".").arg(m_setup.id, name);
    const model::Attention asked = m_setup.load.step.attention;
    const QString wanted = enumText(asked);
    // A program's own word may stand for several kernels, such as PyTorch's "sdpa".
    const bool isKnown = model::fromText<model::Attention>(kernel).has_value();
    if (asked == model::Attention::Automatic || wanted == name || !isKnown)
        emit logged(LogLevel::Info, text);
    else
        emit logged(LogLevel::Warning,
                    text + QLatin1Char(' ') +
                        tr("\"%1\" is not available for this network on this device.").arg(wanted));
}

void WorkerConversation::receive(const trial::TrainingReady& ready)
{
    if (!m_trains)
        return loseForTraining();
    if (!m_asked || m_asked->kind != Kind::Training)
        return lose(tr("The worker said that it is ready to train without being asked to be."));
    takeAnswer(ready);
}

void WorkerConversation::receive(const trial::BatchResult& result)
{
    if (!m_trains)
        return loseForTraining();
    if (isAnswer(Kind::Batch, result.id) && mayEndSo(result.outcome))
        takeResult(result);
}

void WorkerConversation::receive(const trial::Saved& saved)
{
    if (!m_trains)
        return loseForTraining();
    if (isAnswer(Kind::Save, saved.id))
        takeAnswer(saved);
}

void WorkerConversation::loseForTraining()
{
    lose(tr("The worker spoke of a training that it was not asked for."));
}

/// \return whether this is the expected answer; a late answer is ignored, and any other ends the worker
bool WorkerConversation::isAnswer(Kind kind, std::int64_t id)
{
    if (m_asked && m_asked->kind == kind && m_asked->id == id)
        return true;
    const bool isSave = kind == Kind::Save;
    if (m_earlier.contains(id))
        emit logged(LogLevel::Info, (isSave     ? tr("%1: a late answer to request %2 was left out.")
                                     : m_trains ? tr("%1: a late answer to batch %2 was left out.")
                                                : tr("%1: a late answer to trial %2 was left out."))
                                        .arg(m_setup.id)
                                        .arg(id));
    else
        lose((isSave     ? tr("The worker answered request %1, to save, which it was not asked for.")
              : m_trains ? tr("The worker answered batch %1, which it was not asked for.")
                         : tr("The worker answered trial %1, which it was not asked for."))
                 .arg(id));
    return false;
}

/// Only the owner cancels. It would treat an unrequested cancellation as meaningless, and repeat the request
/// forever.
bool WorkerConversation::mayEndSo(trial::Outcome outcome)
{
    if (outcome != trial::Outcome::Cancelled || m_asked->isCancelled)
        return true;
    lose((m_trains ? tr("The worker says that batch %1 was canceled, which nobody asked for.")
                   : tr("The worker says that trial %1 was canceled, which nobody asked for."))
             .arg(m_asked->id));
    return false;
}

template<typename Result>
void WorkerConversation::takeResult(const Result& result)
{
    if (result.microBatchSize != m_asked->microBatchSize)
        return lose(tr("The worker answered for a size of %1 where %2 was asked.")
                        .arg(result.microBatchSize)
                        .arg(m_asked->microBatchSize));
    takeAnswer(result);
}

void WorkerConversation::takeAnswer(const trial::WorkerMessage& answer)
{
    m_wait.stop();
    m_earlier.insert(m_asked->id);
    m_asked.reset();
    emit answered(answer);
}

// Every message shows that the link is not cut.
void WorkerConversation::receive(const trial::Heartbeat& /*heartbeat*/) {}

std::optional<std::chrono::milliseconds> WorkerConversation::leftOfSilence() const
{
    const std::chrono::milliseconds left = m_silence.remainingTimeAsDuration();
    if (!m_silence.isActive() || left > m_silence.intervalAsDuration() / 2)
        return std::nullopt;
    return left;
}

void WorkerConversation::receive(const trial::Log& log)
{
    if (const auto level = shownLevel(log.level))
        emit logged(*level, QString::fromStdString(log.text));
}

void WorkerConversation::receive(const trial::WorkerError& error)
{
    const QString text = QString::fromStdString(error.text);
    // Until the worker is ready to train, no other answer is expected.
    if (m_asked && m_asked->kind == Kind::Training)
        return lose(cannotTrainText(text));
    if (m_stage == Stage::Greeting)
        return refuse(text);
    if (error.fatal || m_stage == Stage::Loading)
        return lose(text);
    emit logged(LogLevel::Warning, text);
}

/// Returns the problem. batchpeak-worker says itself what to do; another program may not support training at
/// all.
QString WorkerConversation::cannotTrainText(const QString& why) const
{
    if (m_device.program.startsWith(QLatin1String("batchpeak-worker")))
        return why;
    const QString program = m_device.program.isEmpty() ? m_setup.command.text() : m_device.program;
    return tr("This program cannot train: %1. It answered: %2 Leave out --worker, so that batchpeak-worker "
              "trains.")
        .arg(program, why);
}

} // namespace batchpeak::engine
