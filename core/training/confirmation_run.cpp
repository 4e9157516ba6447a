// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_run.h"

#include "training_setup.h"
#include "training_text.h"
#include "training_worker.h"
#include "trial/step_statistics.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace batchpeak::training {

namespace {

// A signal of the worker may lead to its removal.
void dropLater(TrainingWorker* worker)
{
    worker->disconnect();
    worker->deleteLater();
}

void takeTimes(ConfirmedSize& size, const std::vector<double>& seconds, std::int64_t batchSize)
{
    const auto samples = static_cast<double>(batchSize);
    if (const auto typical = trial::typicalStepSeconds(seconds))
        size.achievedSamplesPerSecond = samples / *typical;
    size.relativeError = trial::relativeStandardError(seconds);
    size.meanSamplesPerSecond =
        samples * static_cast<double>(seconds.size()) / std::reduce(seconds.begin(), seconds.end());
    size.steps = static_cast<int>(seconds.size());
}

} // namespace

ConfirmationRun::ConfirmationRun(engine::ExplorationParts parts, QObject* parent)
    : QObject(parent), m_parts(std::move(parts)), m_worker(nullptr, dropLater)
{}

ConfirmationRun::~ConfirmationRun()
{
    // This ensures that no process is left when the lease is returned.
    delete m_worker.release();
}

void ConfirmationRun::start(const QString& filePath, const config::ConfigContents& contents,
                            const TrainingOptions& options, const std::vector<engine::PredictedSize>& sizes,
                            int steps, const engine::DeviceIdentity& explored)
{
    if (m_snapshot.isRunning)
        return;
    const TrainingSetup setup = setUpTraining(filePath, contents, options, m_parts);
    m_lease = m_parts.lease->take(engine::DeviceLease::Holder::Confirmation);
    m_setup = setup.devices.setups().front();
    m_request = setup.plan.request;
    m_snapshot = {.isRunning = true,
                  .batchSize = setup.plan.description.batchSize,
                  .fidelity = setup.plan.description.run.fidelity};
    for (const engine::PredictedSize& size : sizes)
        m_snapshot.sizes.push_back({.predicted = size});
    m_schedule = ConfirmationSchedule(sizes.size(), steps);
    m_seconds.assign(sizes.size(), {});
    m_isStopping = false;
    m_batches = BatchSequence(0, {});
    m_explored = explored;
    launch();
    publish();
}

void ConfirmationRun::launch()
{
    m_worker.reset(new TrainingWorker(m_setup, m_request));
    TrainingWorker* worker = m_worker.get();
    connect(worker, &TrainingWorker::ready, this, &ConfirmationRun::takeReady);
    connect(worker, &TrainingWorker::batchEnded, this, &ConfirmationRun::takeBatch);
    connect(worker, &TrainingWorker::parametersDoNotFit, this,
            [this](qint64 needed, qint64 limit) { fail(parametersMisfitText(needed, limit)); });
    connect(worker, &TrainingWorker::lost, this, &ConfirmationRun::fail);
    connect(worker, &TrainingWorker::ended, this, &ConfirmationRun::takeEnd);
    connect(worker, &TrainingWorker::logged, this, &ConfirmationRun::logged);
    worker->start();
}

void ConfirmationRun::stop()
{
    if (!m_snapshot.isRunning)
        return;
    if (std::exchange(m_isStopping, true))
        return m_worker->cancel();
    // There is no step to wait for while the network is being loaded.
    if (!m_isReady)
        m_worker->end();
}

void ConfirmationRun::takeReady(const trial::TrainingReady& ready)
{
    m_isReady = true;
    engine::addApproximations(m_snapshot.fidelity, m_worker->device());
    if (const engine::DeviceIdentity& here = m_worker->identity(); engine::areTwo(m_explored, here)) {
        const auto [then, now] = engine::comparedTexts(m_explored, here);
        m_snapshot.exploredDevice = then;
        m_snapshot.device = now;
    }
    // A fresh worker that replaces a lost one reads the same data.
    m_batches = BatchSequence(ready.samples, {}, m_batches.position());
    if (ready.samples < m_snapshot.batchSize)
        return fail(tooLittleDataText(ready, m_snapshot.batchSize));
    runNext();
}

void ConfirmationRun::runNext()
{
    if (!hasMoreToDo())
        return m_worker->end();
    if (!m_batches.epochHolds(m_snapshot.batchSize))
        m_batches.beginEpoch();
    m_worker->runBatch(requestOf(m_schedule.next()->size));
}

/// Returns the request for the next step, at the size of that index.
trial::BatchRequest ConfirmationRun::requestOf(std::size_t place) const
{
    return {.epoch = m_batches.position().epoch,
            .first = m_batches.position().samplesDone,
            .samples = m_snapshot.batchSize,
            .microBatchSize = m_snapshot.sizes[place].predicted.microBatchSize};
}

void ConfirmationRun::takeBatch(const trial::BatchResult& result)
{
    const std::size_t place = m_schedule.next()->size;
    switch (result.outcome) {
    case trial::Outcome::Ok:
        takeStep(place, result);
        break;
    case trial::Outcome::OutOfMemory:
        takeOutOfMemory(place, result);
        break;
    case trial::Outcome::Cancelled:
        break;
    default:
        return fail(tr("A step with micro-batches of %1 failed: %2")
                        .arg(microBatchesText(requestOf(place)), QString::fromStdString(result.text)));
    }
    publish();
    // The device did not recover; a fresh process runs the remaining steps.
    if (result.isLast)
        return m_worker->end();
    runNext();
}

void ConfirmationRun::takeStep(std::size_t place, const trial::BatchResult& result)
{
    m_batches.stepDone(m_snapshot.batchSize);
    ConfirmedSize& size = m_snapshot.sizes[place];
    size.peakReservedBytes = std::max(size.peakReservedBytes, result.peakReservedBytes);
    if (m_schedule.next()->isTimed) {
        m_seconds[place].push_back(result.seconds);
        takeTimes(size, m_seconds[place], m_snapshot.batchSize);
        size.allocationRetries += result.allocationRetries;
    }
    m_schedule.take(result.seconds);
}

void ConfirmationRun::takeOutOfMemory(std::size_t place, const trial::BatchResult& result)
{
    ConfirmedSize& size = m_snapshot.sizes[place];
    size.ranOutOfMemory = true;
    size.peakReservedBytes = std::max(size.peakReservedBytes, result.peakReservedBytes);
    m_schedule.drop(place);
    emit logged(
        engine::LogLevel::Warning,
        tr("Memory ran out at the size %1; it takes no more steps.").arg(size.predicted.microBatchSize));
}

void ConfirmationRun::fail(const QString& sentence)
{
    m_snapshot.failure = sentence;
    m_worker->end();
}

void ConfirmationRun::takeEnd()
{
    m_isReady = false;
    if (hasMoreToDo())
        m_snapshot.failure = m_worker->obstacle();
    // A fresh worker must run on the same device.
    m_setup.known = m_worker->identity();
    if (hasMoreToDo())
        return launch();
    m_worker.reset();
    m_snapshot.isRunning = false;
    m_snapshot.isStopped = m_isStopping && m_schedule.next();
    m_lease.reset();
    publish();
    emit finished();
}

void ConfirmationRun::publish()
{
    m_snapshot.stepsDone = m_schedule.stepsDone();
    m_snapshot.stepsInAll = m_schedule.stepsInAll();
    emit snapshotChanged(m_snapshot);
}

} // namespace batchpeak::training
