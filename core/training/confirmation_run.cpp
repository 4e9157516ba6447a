// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_run.h"

#include "batch_sequence.h"
#include "confirmation_schedule.h"
#include "training_setup.h"
#include "training_text.h"
#include "training_worker.h"
#include "trial/step_statistics.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace batchpeak::training {

namespace {

// What is heard of a worker may lead to its removal.
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

class ConfirmationRun::Private
{
public:
    Private(ConfirmationRun& owner, engine::ExplorationParts parts)
        : m_owner(owner), m_parts(std::move(parts)), m_worker(nullptr, dropLater)
    {}
    /// No process is left when the device is given back.
    ~Private() { delete m_worker.release(); }

    bool isRunning() const { return m_snapshot.isRunning; }
    /// \throws engine::DeviceInUse
    void begin(engine::DeviceSetup setup, trial::TrainingRequest request, ConfirmationSnapshot snapshot,
               int steps);
    void launch();
    void stop();
    void takeReady(const trial::TrainingReady& ready);
    void takeBatch(const trial::BatchResult& result);
    void fail(const QString& sentence);
    void takeEnd();

    ConfirmationRun& m_owner;
    const engine::ExplorationParts m_parts;
    ConfirmationSnapshot m_snapshot;

private:
    void runNext();
    void takeStep(std::size_t place, const trial::BatchResult& result);
    void takeOutOfMemory(std::size_t place, const trial::BatchResult& result);
    bool hasMoreToDo() const { return !m_isStopping && m_snapshot.failure.isEmpty() && m_schedule.next(); }
    void tell();

    /// From the start to the end; it outlives the worker.
    engine::DeviceLease::Hold m_lease;
    engine::DeviceSetup m_setup;
    trial::TrainingRequest m_request;
    ConfirmationSchedule m_schedule;
    /// Of the timed steps, for each of the snapshot's sizes.
    std::vector<std::vector<double>> m_seconds;
    std::unique_ptr<TrainingWorker, void (*)(TrainingWorker*)> m_worker;
    bool m_isStopping = false;
    bool m_isReady = false;
    BatchSequence m_batches{0, {}};
};

void ConfirmationRun::Private::begin(engine::DeviceSetup setup, trial::TrainingRequest request,
                                     ConfirmationSnapshot snapshot, int steps)
{
    m_lease = m_parts.lease->take(engine::DeviceLease::Holder::Confirmation);
    m_setup = std::move(setup);
    m_request = std::move(request);
    m_snapshot = std::move(snapshot);
    m_schedule = ConfirmationSchedule(m_snapshot.sizes.size(), steps);
    m_seconds.assign(m_snapshot.sizes.size(), {});
    m_isStopping = false;
    m_batches = BatchSequence(0, {});
    m_snapshot.isRunning = true;
    launch();
    tell();
}

void ConfirmationRun::Private::launch()
{
    m_worker.reset(new TrainingWorker(m_setup, m_request));
    TrainingWorker* worker = m_worker.get();
    connect(worker, &TrainingWorker::ready, &m_owner, [this](const auto& ready) { takeReady(ready); });
    connect(worker, &TrainingWorker::batchEnded, &m_owner, [this](const auto& result) { takeBatch(result); });
    connect(worker, &TrainingWorker::parametersDoNotFit, &m_owner,
            [this](qint64 needed, qint64 limit) { fail(parametersMisfitText(needed, limit)); });
    connect(worker, &TrainingWorker::lost, &m_owner, [this](const QString& sentence) { fail(sentence); });
    connect(worker, &TrainingWorker::ended, &m_owner, [this] { takeEnd(); });
    connect(worker, &TrainingWorker::said, &m_owner, &ConfirmationRun::said);
    worker->start();
}

void ConfirmationRun::Private::stop()
{
    if (!isRunning())
        return;
    if (std::exchange(m_isStopping, true))
        return m_worker->cancel();
    // While the network is loaded there is no step to wait for.
    if (!m_isReady)
        m_worker->end();
}

void ConfirmationRun::Private::takeReady(const trial::TrainingReady& ready)
{
    m_isReady = true;
    // A fresh worker in the place of one that is lost reads the same data.
    m_batches = BatchSequence(ready.samples, {}, m_batches.position());
    if (ready.samples < m_snapshot.batchSize)
        return fail(tooLittleDataText(ready.samples, m_snapshot.batchSize));
    runNext();
}

void ConfirmationRun::Private::runNext()
{
    if (!hasMoreToDo())
        return m_worker->end();
    if (!m_batches.epochHolds(m_snapshot.batchSize))
        m_batches.beginEpoch();
    m_worker->runBatch(
        {.epoch = m_batches.position().epoch,
         .first = m_batches.position().samplesDone,
         .samples = m_snapshot.batchSize,
         .microBatchSize = m_snapshot.sizes[m_schedule.next()->size].predicted.microBatchSize});
}

void ConfirmationRun::Private::takeBatch(const trial::BatchResult& result)
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
        return fail(tr("A step at the size %1 failed: %2")
                        .arg(m_snapshot.sizes[place].predicted.microBatchSize)
                        .arg(QString::fromStdString(result.text)));
    }
    tell();
    // The device did not recover: a fresh process takes what is left to do.
    if (result.isLast)
        return m_worker->end();
    runNext();
}

void ConfirmationRun::Private::takeStep(std::size_t place, const trial::BatchResult& result)
{
    m_batches.stepDone(m_snapshot.batchSize);
    ConfirmedSize& size = m_snapshot.sizes[place];
    size.peakReservedBytes = std::max(size.peakReservedBytes, result.peakReservedBytes);
    if (m_schedule.next()->isTimed) {
        m_seconds[place].push_back(result.seconds);
        takeTimes(size, m_seconds[place], m_snapshot.batchSize);
    }
    m_schedule.take(result.seconds);
}

void ConfirmationRun::Private::takeOutOfMemory(std::size_t place, const trial::BatchResult& result)
{
    ConfirmedSize& size = m_snapshot.sizes[place];
    size.ranOutOfMemory = true;
    size.peakReservedBytes = std::max(size.peakReservedBytes, result.peakReservedBytes);
    m_schedule.drop(place);
    emit m_owner.said(
        engine::LogLevel::Warning,
        tr("Memory ran out at the size %1; it takes no more steps.").arg(size.predicted.microBatchSize));
}

void ConfirmationRun::Private::fail(const QString& sentence)
{
    m_snapshot.failure = sentence;
    m_worker->end();
}

void ConfirmationRun::Private::takeEnd()
{
    m_isReady = false;
    if (hasMoreToDo())
        return launch();
    m_worker.reset();
    m_snapshot.isRunning = false;
    m_snapshot.isStopped = m_isStopping && m_schedule.next();
    m_lease.reset();
    tell();
    emit m_owner.finished();
}

void ConfirmationRun::Private::tell()
{
    m_snapshot.stepsDone = m_schedule.stepsDone();
    m_snapshot.stepsInAll = m_schedule.stepsInAll();
    emit m_owner.snapshotChanged(m_snapshot);
}

ConfirmationRun::ConfirmationRun(engine::ExplorationParts parts, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(*this, std::move(parts)))
{}

ConfirmationRun::~ConfirmationRun() = default;

const ConfirmationSnapshot& ConfirmationRun::snapshot() const
{
    return d->m_snapshot;
}

void ConfirmationRun::start(const QString& filePath, const config::ConfigContents& contents,
                            const TrainingOptions& options, const std::vector<engine::PredictedSize>& sizes,
                            int steps)
{
    if (d->isRunning())
        return;
    const TrainingSetup setup = setUpTraining(filePath, contents, options, d->m_parts);
    ConfirmationSnapshot snapshot{.batchSize = setup.plan.description.batchSize};
    for (const engine::PredictedSize& size : sizes)
        snapshot.sizes.push_back({.predicted = size});
    d->begin(setup.devices.setups().front(), setup.plan.request, std::move(snapshot), steps);
}

void ConfirmationRun::stop()
{
    d->stop();
}

} // namespace batchpeak::training
