// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_run.h"

#include "accumulation/micro_batches.h"
#include "checkpoints/checkpoint_folder.h"
#include "checkpoints/tensor_hash.h"
#include "config/batch_plan.h"
#include "engine/log_text.h"
#include "growth/growth_function.h"
#include "maximum_search.h"
#include "micro_batch_sizes.h"
#include "plan/exploration_plan.h"
#include "step_prediction.h"
#include "store/exploration_store.h"
#include "syntax/config_error.h"
#include "text/errors.h"
#include "training_setup.h"
#include "training_snapshot_builder.h"
#include "training_steps.h"
#include "training_text.h"
#include "training_worker.h"
#include "workers/background_thread.h"
#include "workers/spare_thread.h"

#include <QElapsedTimer>
#include <QTimer>

#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

namespace batchpeak::training {

namespace {

using engine::LogLevel;

constexpr std::chrono::seconds tickEvery{1};

/// Returns why the data cannot be trained on; empty if it can.
QString problemWith(const trial::TrainingReady& ready, const TrainingSetup& setup)
{
    const trial::HeldOut& asked = setup.plan.request.data.heldOut;
    const bool holdsOut = asked.isAsked();
    const std::int64_t samples = ready.samples + ready.heldOutSamples;
    if (holdsOut && ready.heldOutSamples == 0)
        return nothingHeldOutText();
    // Other programs may round a share differently.
    const std::int64_t rounding = holdsOut && asked.samples == 0 ? 1 : 0;
    if (std::abs(ready.heldOutSamples - asked.of(samples)) > rounding)
        return otherHeldOutText(ready.heldOutSamples, asked.of(samples));
    if (ready.samples < setup.batchSize)
        return tooLittleDataText(ready, setup.batchSize);
    if (holdsOut && setup.resumedSamples > 0 && samples != setup.resumedSamples)
        return otherDataText(setup.resumedSamples, samples);
    return {};
}

/// Whether a checkpoint of the training is still there; the user may have removed it since, or put another
/// one in its place.
bool isThere(const QString& checkpoint, const QString& training)
{
    try {
        return !checkpoint.isEmpty() && CheckpointFolder(checkpoint).newest().state.training == training;
    } catch (const config::ConfigError&) {
        return false;
    }
}

} // namespace

/// State of one run. The next run has its own, so that nothing of this one can affect it.
struct TrainingRun::Run : public QObject
{
    explicit Run(const TrainingSetup& runSetup)
        : asLoaded(runSetup), setup(runSetup), builder(setup.plan.description)
    {
        builder.setSizes(MicroBatchSizes(setup.plan.sizes));
    }

    /// Held from the start to the end. Declared before the others, so that it outlives the worker.
    engine::DeviceLease::Hold lease;
    /// Setup with which the next run begins.
    const TrainingSetup asLoaded;
    /// Setup including the sizes found since.
    TrainingSetup setup;
    TrainingSnapshotBuilder builder;
    std::unique_ptr<engine::BackgroundThread> telemetry;
    std::unique_ptr<engine::BackgroundThread> tensorCheck;
    /// Result of the check, if the tensors are damaged.
    std::optional<TensorCheck> damaged;
    std::unique_ptr<MaximumSearch> search;
    std::unique_ptr<TrainingWorker> worker;
    std::unique_ptr<TrainingSteps> steps;
    /// How the run ends, once it is being ended.
    TrainingEnd end = TrainingEnd::Failed;
    QElapsedTimer clock;
    QTimer tick;
};

TrainingRun::TrainingRun(engine::ExplorationParts parts, QObject* parent)
    : QObject(parent), m_parts(std::move(parts))
{}

TrainingRun::~TrainingRun() = default;

const TrainingSnapshot& TrainingRun::snapshot() const
{
    static const TrainingSnapshot nothingLoaded;
    return m_run ? m_run->builder.snapshot() : nothingLoaded;
}

void TrainingRun::load(const QString& filePath, const config::ConfigContents& contents,
                       const TrainingOptions& options)
{
    if (snapshot().isUnderWay())
        return;
    if (!options.run.python.isEmpty()) {
        throw engine::ExplorationError(
            tr("Your Python takes steps on random samples alone, to measure and to "
               "confirm sizes. Train with your own trainer, or leave out --with."));
    }
    setRun(std::make_unique<Run>(setUpTraining(filePath, contents, options, m_parts)));
    emit snapshotChanged(snapshot());
}

/// Replaces the run. The old run is deleted later, since this may be called from a slot of its last signal.
void TrainingRun::setRun(std::unique_ptr<Run> run)
{
    std::swap(m_run, run);
    if (!run)
        return;
    if (run->search)
        run->search->disconnect(this);
    if (run->worker)
        run->worker->disconnect(this);
    if (run->steps)
        run->steps->disconnect(this);
    run.release()->deleteLater();
}

void TrainingRun::start()
{
    if (!m_run || snapshot().isUnderWay())
        return;
    engine::DeviceLease::Hold lease = m_parts.lease->take(engine::DeviceLease::Holder::Training);
    if (hasEnded())
        setRun(std::make_unique<Run>(m_run->asLoaded));
    m_run->lease = std::move(lease);
    m_run->builder.setState(TrainingState::Starting);
    emit occurred(engine::Started{});
    // A receiver of the signal may have ended the run.
    if (state() == TrainingState::Starting)
        begin();
}

void TrainingRun::begin()
{
    m_run->telemetry = std::make_unique<engine::BackgroundThread>();
    connect(&m_run->tick, &QTimer::timeout, this, [this] {
        m_run->setup.devices.readTelemetry(
            *m_run->telemetry, {snapshot().device.workerPid},
            [run = m_run.get()](const std::vector<engine::Telemetry>& readings) {
                run->builder.setTelemetry(readings.front());
            });
        publish();
    });
    if (!m_run->telemetry->makeThread())
        m_run->builder.log(LogLevel::Warning,
                           engine::noThreadText(tr("Nothing is read of the device meanwhile.")));
    m_run->clock.start();
    m_run->tick.start(tickEvery);
    for (const QString& note : std::as_const(m_run->setup.plan.notes))
        m_run->builder.log(LogLevel::Warning, note);
    if (!m_run->setup.resumedFrom.isEmpty())
        m_run->builder.log(LogLevel::Info, resumedText(m_run->setup.resumedFrom, m_run->setup.position.step));
    for (const QString& difference : std::as_const(m_run->setup.resumedDifferences))
        m_run->builder.log(LogLevel::Info, difference);
    if (m_run->setup.resumedHash.isEmpty())
        beginWork();
    else
        checkTensors();
}

/// Checks the tensors first, since damaged tensors would still train.
void TrainingRun::checkTensors()
{
    m_run->tensorCheck = std::make_unique<engine::BackgroundThread>();
    m_run->tensorCheck->run(
        [checkpoint = m_run->setup.resumedFrom, hash = m_run->setup.resumedHash](
            const std::stop_token& stop) { return training::checkTensors(checkpoint, hash, stop); },
        [this, run = m_run.get()](const TensorCheck& check) {
            if (run == m_run.get())
                takeCheck(check);
        });
    publish();
}

void TrainingRun::takeCheck(const TensorCheck& check)
{
    if (state() != TrainingState::Starting)
        return;
    if (!check.areDamaged)
        return beginWork();
    m_run->damaged = check;
    finish(TrainingEnd::Failed,
           damagedTensorsText(QString::fromStdString(m_run->setup.plan.request.checkpoint)));
}

void TrainingRun::beginWork()
{
    try {
        if (m_run->setup.plan.description.maximum)
            findMaximum();
        else
            startWorker();
    } catch (const std::exception& error) {
        // The inputs of the plan may have changed since.
        finish(TrainingEnd::Failed, QString::fromUtf8(error.what()));
    }
}

/// Runs before the worker starts, so that all memory is available to the search.
void TrainingRun::findMaximum()
{
    m_run->builder.setState(TrainingState::FindingMaximum);
    m_run->search = std::make_unique<MaximumSearch>(m_run->setup.parts);
    MaximumSearch* search = m_run->search.get();
    connect(search, &MaximumSearch::logged, this, &TrainingRun::log);
    connect(search, &MaximumSearch::found, this, &TrainingRun::takeMaximum);
    connect(search, &MaximumSearch::nothingFits, this,
            [this](const QString& sentence) { finish(TrainingEnd::NothingFits, sentence); });
    connect(search, &MaximumSearch::failed, this,
            [this](const QString& sentence) { finish(TrainingEnd::Failed, sentence); });
    connect(search, &MaximumSearch::stopped, this, [this] { finish(TrainingEnd::Interrupted); });
    TrainingOptions options = m_run->setup.options;
    options.maximum = m_run->setup.plan.description.maximum;
    search->start(m_run->setup.filePath, m_run->setup.contents, options,
                  m_run->setup.plan.grows() ? engine::largestExplored : m_run->setup.batchSize);
    publish();
}

void TrainingRun::takeMaximum(const MaximumFound& maximum)
{
    m_run->builder.setMaximum(maximum);
    m_run->builder.log(LogLevel::Info, maximumText(maximum));
    TrainingPlan& plan = m_run->setup.plan;
    const auto problem = m_run->setup.options.strict && !plan.grows()
                             ? config::strictRuleProblem(plan.description.run.plan, maximum.used)
                             : std::nullopt;
    if (problem)
        return finish(TrainingEnd::Failed, QString::fromStdString(*problem));
    if (!plan.grows()) {
        plan.sizes.training = accumulation::evenSpread(m_run->setup.batchSize, maximum.used).largest();
        plan.sizes.evaluation =
            evaluationSize(m_run->setup.contents, plan.evaluationBatchSize, plan.sizes.training);
    }
    // The size was measured in trials, and training may need a little more memory.
    plan.sizes.halves = true;
    m_run->builder.setSizes(MicroBatchSizes(plan.sizes));
    publish();
    emit occurred(maximum);
    if (state() == TrainingState::FindingMaximum)
        startWorker();
}

void TrainingRun::startWorker()
{
    m_run->builder.setState(TrainingState::Starting);
    engine::DeviceSetup device = m_run->setup.devices.setups().front();
    // A size that fits on that device must be used on the same device.
    if (m_run->search)
        device.known = m_run->search->device();
    m_run->worker = std::make_unique<TrainingWorker>(std::move(device), m_run->setup.plan.request);
    TrainingWorker* worker = m_run->worker.get();
    connect(worker, &TrainingWorker::logged, this, &TrainingRun::log);
    connect(worker, &TrainingWorker::ready, this, &TrainingRun::becomeReady);
    connect(worker, &TrainingWorker::parametersDoNotFit, this, [this](qint64 needed, qint64 limit) {
        finish(TrainingEnd::NothingFits, parametersMisfitText(needed, limit));
    });
    connect(worker, &TrainingWorker::lost, this, &TrainingRun::loseWorker);
    connect(worker, &TrainingWorker::ended, this, &TrainingRun::reportEnd);
    makeSteps();
    worker->start();
    publish();
}

void TrainingRun::makeSteps()
{
    std::unique_ptr<EpochGrowth> growth;
    const TrainingSetup& setup = m_run->setup;
    if (setup.plan.grows())
        growth = std::make_unique<EpochGrowth>(
            makeGrowthFunction(setup.plan.description.growth, growthTimeout, setup.growthCode),
            snapshot().maximum->measured);
    m_run->steps =
        std::make_unique<TrainingSteps>(m_run->setup, m_run->builder, *m_run->worker, std::move(growth));
    TrainingSteps* steps = m_run->steps.get();
    connect(steps, &TrainingSteps::changed, this, &TrainingRun::publish);
    connect(steps, &TrainingSteps::occurred, this, &TrainingRun::occurred);
    connect(steps, &TrainingSteps::concluded, this, &TrainingRun::finish);
}

void TrainingRun::becomeReady(const trial::TrainingReady& ready)
{
    if (const QString problem = problemWith(ready, m_run->setup); !problem.isEmpty())
        return finish(TrainingEnd::Failed, problem);
    m_run->builder.setState(TrainingState::Training);
    m_run->builder.log(LogLevel::Info, engine::readyText(m_run->worker->device()));
    const std::int64_t before = m_run->setup.resumedEpochSamples;
    if (before > 0 && ready.samples != before)
        m_run->builder.log(LogLevel::Warning, otherEpochText(before, ready.samples));
    publish();
    emit occurred(engine::DeviceReady{snapshot().device});
    // A receiver of the signal may have stopped the run.
    if (state() == TrainingState::Training)
        m_run->steps->begin(ready, prediction());
}

/// Returns the prediction of the steps; without one, training continues.
StepPrediction TrainingRun::prediction()
{
    try {
        return StepPrediction::fromHistory(m_run->setup.plan.description.run, snapshot().device.id);
    } catch (const store::StoreError& error) {
        log(LogLevel::Warning,
            tr("The history cannot be read, so that no speed is predicted: %1").arg(error.sentence()));
        return {};
    }
}

void TrainingRun::stop()
{
    switch (state()) {
    case TrainingState::FindingMaximum:
        m_run->search->stop();
        return;
    case TrainingState::Starting:
        finish(TrainingEnd::Interrupted);
        return;
    case TrainingState::Training:
    case TrainingState::Saving:
        m_run->steps->stop();
        return;
    default:
        return;
    }
}

void TrainingRun::loseWorker(const QString& sentence)
{
    // A user who cancels wants the end, however the worker reacts.
    if (!m_run->steps->isCancelled())
        return finish(TrainingEnd::Failed, sentence);
    m_run->builder.log(LogLevel::Warning, sentence);
    finish(TrainingEnd::Interrupted);
}

void TrainingRun::finish(TrainingEnd end, const QString& failure)
{
    if (state() == TrainingState::Finishing || hasEnded())
        return;
    m_run->end = end;
    const bool hasLearned = !snapshot().steps.empty() || !m_run->setup.resumedFrom.isEmpty();
    m_run->builder.setFailure(
        failure.isEmpty() || !hasLearned ? failure : failure + QLatin1Char('\n') + howToContinue(failure));
    m_run->builder.setState(TrainingState::Finishing);
    publish();
    if (m_run->worker)
        m_run->worker->end();
    else
        QTimer::singleShot(0, this, &TrainingRun::reportEnd);
}

/// Returns the last sentence of a failure.
QString TrainingRun::howToContinue(const QString& failure) const
{
    const TrainingSetup& setup = m_run->setup;
    if (isThere(snapshot().checkpoint, setup.training))
        return resumeText(snapshot().checkpoint);
    if (m_run->damaged)
        return resumeOlderText(m_run->damaged->wholeOne);
    // A worker names the file of the tensors if it cannot read it.
    const QString tensors = QString::fromStdString(setup.plan.request.checkpoint);
    if (!tensors.isEmpty() && failure.contains(tensors))
        return resumeOlderText(olderCheckpoint(setup.resumedFrom));
    if (isThere(setup.resumedFrom, setup.training))
        return resumeText(setup.resumedFrom);
    return noCheckpointText(setup.options);
}

void TrainingRun::reportEnd()
{
    if (hasEnded())
        return;
    m_run->tick.stop();
    publish();
    m_run->builder.close(m_run->end);
    Run* const run = m_run.get();
    run->lease.reset();
    emit snapshotChanged(snapshot());
    // A receiver of the signal may have started another run.
    if (run == m_run.get())
        emit occurred(TrainingFinished{run->end});
}

void TrainingRun::log(LogLevel level, const QString& text)
{
    m_run->builder.log(level, text);
    publish();
}

void TrainingRun::publish()
{
    if (!hasEnded()) {
        if (m_run->worker)
            m_run->builder.setDevice(m_run->worker->device());
        m_run->builder.takeTime(static_cast<double>(m_run->clock.elapsed()) / 1000.0);
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::training
