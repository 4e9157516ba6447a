// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_worker.h"

#include "engine/failure_text.h"
#include "engine/readable_text.h"
#include "engine/worker_speech.h"

#include <utility>
#include <variant>

namespace batchpeak::training {

using engine::durationText;

TrainingWorker::TrainingWorker(engine::DeviceSetup setup, trial::TrainingRequest request, QObject* parent)
    : QObject(parent),
      m_setup(std::move(setup)),
      m_request(std::move(request)),
      m_process(m_setup.timeouts, m_setup.memoryKills, nullptr)
{
    m_device.id = m_setup.id;
    m_wait.setSingleShot(true);
    connect(&m_wait, &QTimer::timeout, this, [this] { lose(m_sentenceWhenOver); });
    connect(&m_process, &engine::WorkerProcess::messageReceived, this,
            [this](const trial::WorkerMessage& message) {
                std::visit([this](const auto& value) { receive(value); }, message);
            });
    connect(&m_process, &engine::WorkerProcess::protocolViolated, this,
            [this](const QString& sentence) { lose(engine::violationText(sentence)); });
    connect(&m_process, &engine::WorkerProcess::ended, this, &TrainingWorker::workerEnded);
}

void TrainingWorker::start()
{
    if (m_stage != Stage::Off)
        return;
    m_stage = Stage::Greeting;
    wait(m_setup.timeouts.startUp,
         tr("The worker did not say hello within %1.").arg(durationText(m_setup.timeouts.startUp)));
    m_process.start(m_setup.command);
    m_device.workerPid = m_process.pid();
    m_process.send(trial::Hello{});
}

void TrainingWorker::runBatch(trial::BatchRequest request)
{
    if (m_stage != Stage::Free)
        return;
    m_stage = Stage::Batch;
    request.id = ++m_id;
    m_microBatchSize = request.microBatchSize;
    m_isCancelled = false;
    waitForBatch();
    m_process.send(request);
}

void TrainingWorker::save(const QString& path)
{
    if (m_stage != Stage::Free)
        return;
    m_stage = Stage::Saving;
    wait(m_setup.timeouts.save,
         tr("The worker did not save the checkpoint within %1.").arg(durationText(m_setup.timeouts.save)));
    m_process.send(trial::SaveRequest{.id = ++m_id, .path = path.toStdString()});
}

void TrainingWorker::cancel()
{
    if (m_stage != Stage::Batch || std::exchange(m_isCancelled, true))
        return;
    wait(m_setup.timeouts.cancel, tr("The worker was killed, since it did not heed a cancel."));
    m_process.send(trial::Cancel{.id = m_id});
}

void TrainingWorker::end()
{
    if (m_stage == Stage::Off || m_stage == Stage::Ended || std::exchange(m_endRequested, true))
        return;
    m_wait.stop();
    // What is busy does not read that it may go.
    const bool isBusy = m_stage == Stage::Batch || m_stage == Stage::Saving;
    m_stage = Stage::Ending;
    if (isBusy)
        m_process.kill();
    else
        m_process.end();
}

void TrainingWorker::wait(std::chrono::milliseconds limit, const QString& sentenceWhenOver)
{
    m_sentenceWhenOver = sentenceWhenOver;
    m_wait.start(limit);
}

void TrainingWorker::waitForBatch()
{
    wait(m_setup.timeouts.batch, tr("The worker gave no sign of life in the middle of a batch for %1.")
                                     .arg(durationText(m_setup.timeouts.batch)));
}

void TrainingWorker::lose(const QString& sentence)
{
    m_wait.stop();
    m_stage = Stage::Ending;
    m_loss = sentence;
    m_process.kill();
}

void TrainingWorker::workerEnded(const engine::WorkerEnd& end)
{
    m_wait.stop();
    m_device.workerPid = 0;
    m_stage = Stage::Ended;
    if (!m_endRequested)
        emit lost(engine::withLastWords(m_loss.isEmpty() ? engine::problemText(end) : m_loss, end.lastLines));
    emit ended();
}

void TrainingWorker::receive(const trial::WorkerHello& hello)
{
    if (m_stage != Stage::Greeting)
        return lose(tr("The worker said hello a second time."));
    if (const QString problem = engine::problemIn(hello); !problem.isEmpty())
        return lose(problem);
    m_stage = Stage::Loading;
    engine::takeHello(m_device, hello, m_setup.memoryLimitBytes, m_setup.headroom);
    m_setup.load.memoryLimitBytes = m_device.usableBytes;
    wait(m_setup.timeouts.load,
         tr("The worker did not load the network within %1.").arg(durationText(m_setup.timeouts.load)));
    m_process.send(m_setup.load);
}

void TrainingWorker::receive(const trial::Loaded& loaded)
{
    if (m_stage != Stage::Loading)
        return lose(tr("The worker said that it loaded a network without being asked to."));
    m_device.baselineBytes = loaded.baselineBytes;
    if (loaded.limitBytes > 0 && loaded.baselineBytes > loaded.limitBytes) {
        m_wait.stop();
        m_stage = Stage::Free;
        emit parametersDoNotFit(loaded.baselineBytes, loaded.limitBytes);
        return;
    }
    m_stage = Stage::Preparing;
    wait(m_setup.timeouts.training,
         tr("The worker did not get ready to train within %1.").arg(durationText(m_setup.timeouts.training)));
    m_process.send(m_request);
}

void TrainingWorker::receive(const trial::TrainingReady& ready)
{
    if (m_stage != Stage::Preparing)
        return lose(tr("The worker said that it is ready to train without being asked to be."));
    m_wait.stop();
    m_stage = Stage::Free;
    emit this->ready(ready);
}

void TrainingWorker::receive(const trial::Step& step)
{
    if (step.id < m_id)
        return;
    if (m_stage != Stage::Batch || step.id != m_id)
        return lose(tr("The worker reported a step of batch %1, which it was not asked for.").arg(step.id));
    if (!m_isCancelled)
        waitForBatch();
    // Not one message a micro-batch: a worker says the newest one some times a second.
    emit microBatchDone(step.index + 1);
}

void TrainingWorker::receive(const trial::BatchResult& result)
{
    if (!isAnswer(Stage::Batch, result.id))
        return;
    if (result.microBatchSize != m_microBatchSize)
        return lose(tr("The worker answered for a size of %1 where %2 was asked.")
                        .arg(result.microBatchSize)
                        .arg(m_microBatchSize));
    m_wait.stop();
    m_stage = Stage::Free;
    emit batchEnded(result);
}

void TrainingWorker::receive(const trial::Saved& saved)
{
    if (!isAnswer(Stage::Saving, saved.id))
        return;
    m_wait.stop();
    m_stage = Stage::Free;
    emit this->saved(saved);
}

void TrainingWorker::receive(const trial::TrialResult& /*result*/)
{
    lose(tr("The worker spoke of a trial that it was not asked for."));
}

/// \return whether this is what is waited for; a late answer is left out, and another is an offence
bool TrainingWorker::isAnswer(Stage stage, std::int64_t id)
{
    if (id < m_id && id > 0) {
        emit said(engine::LogLevel::Info,
                  tr("%1: a late answer to batch %2 was left out.").arg(m_setup.id).arg(id));
        return false;
    }
    if (m_stage == stage && id == m_id)
        return true;
    lose(tr("The worker answered batch %1, which it was not asked for.").arg(id));
    return false;
}

void TrainingWorker::receive(const trial::Log& log)
{
    if (const auto level = engine::shownLevel(log.level))
        emit said(*level, QString::fromStdString(log.text));
}

void TrainingWorker::receive(const trial::WorkerError& error)
{
    const QString text = QString::fromStdString(error.text);
    // Before it is ready there is no other answer to wait for.
    if (m_stage == Stage::Preparing)
        return lose(cannotTrainText(text));
    if (error.fatal || m_stage == Stage::Greeting || m_stage == Stage::Loading)
        return lose(text);
    emit said(engine::LogLevel::Warning, text);
}

/// Ours says itself what to do; of another program the reason may be that it knows no training at all.
QString TrainingWorker::cannotTrainText(const QString& why) const
{
    if (m_device.program.startsWith(QLatin1String("batchpeak-worker")))
        return why;
    const QString program = m_device.program.isEmpty() ? m_setup.command.text() : m_device.program;
    return tr("This program cannot train: %1. It answered: %2 Leave out --worker, so that batchpeak-worker "
              "trains.")
        .arg(program, why);
}

} // namespace batchpeak::training
