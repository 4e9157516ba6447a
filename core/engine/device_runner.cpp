// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_runner.h"

#include "readable_text.h"
#include "worker_speech.h"

#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

// A worker that cannot start once may have met a busy device; twice, it never will.
constexpr int failuresBeforeGivingUp = 2;

// A worker's signals may be what led to its own removal, so it outlives the present call.
void dropLater(WorkerProcess* worker)
{
    worker->disconnect();
    worker->deleteLater();
}

} // namespace

DeviceRunner::DeviceRunner(DeviceSetup setup, QObject* parent)
    : QObject(parent), m_setup(std::move(setup)), m_worker(nullptr, dropLater)
{
    m_snapshot.id = m_setup.id;
    m_wait.setSingleShot(true);
    connect(&m_wait, &QTimer::timeout, this, [this] {
        m_silent = true;
        lose(m_sentenceWhenOver);
    });
}

void DeviceRunner::start()
{
    launch();
}

void DeviceRunner::launch()
{
    m_stage = Stage::Greeting;
    m_loss.clear();
    m_silent = false;
    m_trialsOfWorker = 0;
    m_worker.reset(new WorkerProcess(m_setup.timeouts, m_setup.memoryKills, this));
    WorkerProcess* worker = m_worker.get();
    connect(worker, &WorkerProcess::messageReceived, this, [this](const trial::WorkerMessage& message) {
        std::visit([this](const auto& value) { receive(value); }, message);
    });
    connect(worker, &WorkerProcess::protocolViolated, this,
            [this](const QString& sentence) { lose(violationText(sentence)); });
    connect(worker, &WorkerProcess::ended, this, &DeviceRunner::workerEnded);
    wait(m_setup.timeouts.startUp,
         tr("The worker did not say hello within %1.").arg(durationText(m_setup.timeouts.startUp)));
    worker->start(m_setup.command);
    m_snapshot.workerPid = worker->pid();
    worker->send(trial::Hello{});
}

void DeviceRunner::wait(std::chrono::milliseconds limit, const QString& sentenceWhenOver)
{
    m_sentenceWhenOver = sentenceWhenOver;
    m_wait.start(limit);
}

void DeviceRunner::runTrial(const trial::TrialRequest& request)
{
    if (m_stage != Stage::Free)
        return;
    m_stage = Stage::Busy;
    m_trial = request;
    ++m_trialsOfWorker;
    const auto limit = std::chrono::milliseconds(static_cast<qint64>(request.timeLimitSeconds * 1000)) +
                       m_setup.timeouts.trialGrace;
    wait(limit, tr("The worker gave no answer within %1.").arg(durationText(limit)));
    m_worker->send(request);
}

void DeviceRunner::renew()
{
    if (m_stage != Stage::Free)
        return;
    m_stage = Stage::Renewing;
    m_worker->end();
}

void DeviceRunner::end()
{
    if (std::exchange(m_endRequested, true) || hasEnded())
        return;
    switch (m_stage) {
    case Stage::Off:
        m_stage = Stage::Ended;
        emit ended();
        return;
    case Stage::Busy:
        m_worker->send(trial::Cancel{.id = m_trial->id});
        wait(m_setup.timeouts.cancel, tr("The worker was killed, since it did not heed a cancel."));
        return;
    case Stage::Losing:
        return;
    default:
        m_wait.stop();
        m_stage = Stage::Losing;
        m_worker->end();
    }
}

void DeviceRunner::lose(const QString& sentence)
{
    m_wait.stop();
    m_stage = Stage::Losing;
    m_loss = sentence;
    m_worker->kill();
}

void DeviceRunner::workerEnded(const WorkerEnd& end)
{
    m_wait.stop();
    m_snapshot.workerPid = 0;
    m_lastLines = end.lastLines;
    if (m_stage == Stage::Renewing && !m_endRequested)
        return launch();
    const bool wasReady = m_stage == Stage::Free;
    m_stage = Stage::Losing;
    m_problem = m_loss.isEmpty() ? problemText(end) : m_loss;
    if (m_endRequested) {
        if (m_trial)
            finishTrial({.outcome = trial::Outcome::Cancelled}, false);
        m_stage = Stage::Ended;
        emit ended();
        return;
    }
    if (m_trial) {
        finishTrial({.outcome = m_silent ? trial::Outcome::Timeout : trial::Outcome::Crashed,
                     .text = m_problem.toStdString()},
                    true);
    } else {
        ++m_failuresInARow;
        emit said(LogLevel::Warning,
                  wasReady ? tr("%1: the worker was lost between two trials. %2").arg(m_setup.id, m_problem)
                           : tr("%1: no trial can run yet. %2").arg(m_setup.id, m_problem));
    }
    // Whoever heard of the trial's end may have ended the device.
    if (m_endRequested) {
        m_stage = Stage::Ended;
        emit ended();
        return;
    }
    giveUpOrRelaunch();
}

void DeviceRunner::giveUpOrRelaunch()
{
    if (m_failuresInARow >= failuresBeforeGivingUp) {
        m_stage = Stage::GivenUp;
        emit said(
            LogLevel::Error,
            tr("%1 is given up: its worker failed %2 times in a row.").arg(m_setup.id).arg(m_failuresInARow));
        emit gaveUp();
        return;
    }
    ++m_snapshot.restarts;
    emit said(LogLevel::Info, tr("%1: a fresh worker is started.").arg(m_setup.id));
    launch();
}

void DeviceRunner::finishTrial(trial::TrialResult result, bool workerLost)
{
    const trial::TrialRequest request = *std::exchange(m_trial, std::nullopt);
    m_asked.insert(request.id);
    result.id = request.id;
    result.microBatchSize = request.microBatchSize;
    emit trialEnded({.result = std::move(result), .workerLost = workerLost});
}

void DeviceRunner::receive(const trial::WorkerHello& hello)
{
    if (m_stage != Stage::Greeting)
        return lose(tr("The worker said hello a second time."));
    if (const QString problem = problemIn(hello); !problem.isEmpty())
        return lose(problem);

    m_stage = Stage::Loading;
    takeHello(m_snapshot, hello, m_setup.memoryLimitBytes, m_setup.headroom);
    m_setup.load.memoryLimitBytes = m_snapshot.usableBytes;
    wait(m_setup.timeouts.load,
         tr("The worker did not load the network within %1.").arg(durationText(m_setup.timeouts.load)));
    m_worker->send(m_setup.load);
}

void DeviceRunner::receive(const trial::Loaded& loaded)
{
    if (m_stage != Stage::Loading)
        return lose(tr("The worker said that it loaded a network without being asked to."));
    m_wait.stop();
    m_stage = Stage::Free;
    m_snapshot.baselineBytes = loaded.baselineBytes;
    emit ready();
}

void DeviceRunner::receive(const trial::Step& step)
{
    if (isOldTrial(step.id))
        return;
    if (!m_trial || step.id != m_trial->id)
        return lose(tr("The worker reported a step of trial %1, which it was not asked for.").arg(step.id));
    emit stepTaken(step);
}

void DeviceRunner::receive(const trial::TrialResult& result)
{
    if (isOldTrial(result.id)) {
        emit said(LogLevel::Info,
                  tr("%1: a late answer to trial %2 was left out.").arg(m_setup.id).arg(result.id));
        return;
    }
    if (!m_trial || result.id != m_trial->id)
        return lose(tr("The worker answered trial %1, which it was not asked for.").arg(result.id));
    if (result.microBatchSize != m_trial->microBatchSize)
        return lose(tr("The worker answered for a size of %1 where %2 was asked.")
                        .arg(result.microBatchSize)
                        .arg(m_trial->microBatchSize));

    m_wait.stop();
    m_failuresInARow = 0;
    if (m_endRequested) {
        m_stage = Stage::Losing;
        m_worker->end();
    } else if (result.isLast) {
        ++m_snapshot.restarts;
        m_stage = Stage::Renewing;
        m_worker->end();
    } else {
        m_stage = Stage::Free;
    }
    finishTrial(result, false);
}

void DeviceRunner::receive(const trial::TrainingReady& /*ready*/)
{
    loseForTraining();
}

void DeviceRunner::receive(const trial::BatchResult& /*result*/)
{
    loseForTraining();
}

void DeviceRunner::receive(const trial::Saved& /*saved*/)
{
    loseForTraining();
}

void DeviceRunner::loseForTraining()
{
    lose(tr("The worker spoke of a training that it was not asked for."));
}

void DeviceRunner::receive(const trial::Log& log)
{
    if (const auto level = shownLevel(log.level))
        emit said(*level, QString::fromStdString(log.text));
}

void DeviceRunner::receive(const trial::WorkerError& error)
{
    // Before it is ready there is no other answer to wait for.
    if (error.fatal || m_stage == Stage::Greeting || m_stage == Stage::Loading)
        return lose(QString::fromStdString(error.text));
    emit said(LogLevel::Warning, QString::fromStdString(error.text));
}

bool DeviceRunner::isOldTrial(std::int64_t id) const
{
    return m_asked.contains(id);
}

} // namespace batchpeak::engine
