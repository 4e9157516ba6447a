// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_worker.h"

#include "snapshot/failure_text.h"

#include <utility>
#include <variant>

namespace batchpeak::training {

using engine::WorkerConversation;

TrainingWorker::TrainingWorker(engine::DeviceSetup setup, trial::TrainingRequest request, QObject* parent)
    : QObject(parent), m_worker(std::move(setup)), m_request(std::move(request))
{
    connect(&m_worker, &WorkerConversation::loaded, this, &TrainingWorker::prepare);
    // There is not a message for each micro-batch: a worker reports the newest one a few times a second.
    connect(&m_worker, &WorkerConversation::stepTaken, this,
            [this](const trial::Step& step) { emit microBatchDone(qint64{step.index} + 1); });
    connect(&m_worker, &WorkerConversation::answered, this, [this](const trial::WorkerMessage& answer) {
        if (const auto* ready = std::get_if<trial::TrainingReady>(&answer))
            emit this->ready(*ready);
        else if (const auto* result = std::get_if<trial::BatchResult>(&answer))
            emit batchEnded(*result);
        else
            emit saved(std::get<trial::Saved>(answer));
    });
    connect(&m_worker, &WorkerConversation::ended, this, [this](const engine::WorkerLoss& loss) {
        if (loss.isStuck)
            m_obstacle = loss.problem;
        if (!m_endRequested) {
            emit lost(engine::withLastLines(loss.problem, loss.lastLines));
        } else if (loss.isStuck) {
            emit logged(engine::LogLevel::Error, loss.problem);
        }
        emit ended();
    });
    connect(&m_worker, &WorkerConversation::logged, this, &TrainingWorker::logged);
}

void TrainingWorker::start()
{
    m_worker.start();
}

void TrainingWorker::prepare(const trial::Loaded& loaded)
{
    if (loaded.limitBytes > 0 && loaded.baselineBytes > loaded.limitBytes)
        emit parametersDoNotFit(loaded.baselineBytes, loaded.limitBytes);
    else
        m_worker.ask(m_request);
}

void TrainingWorker::runBatch(trial::BatchRequest request)
{
    if (!m_worker.isFree())
        return;
    request.id = ++m_id;
    m_worker.ask(request);
}

void TrainingWorker::save(const QString& path)
{
    if (m_worker.isFree())
        m_worker.ask(trial::SaveRequest{.id = ++m_id, .path = path.toStdString()});
}

void TrainingWorker::end()
{
    m_endRequested = true;
    m_worker.end();
}

} // namespace batchpeak::training
