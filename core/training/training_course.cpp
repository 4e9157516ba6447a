// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_course.h"

#include "log_text.h"
#include "training_text.h"

#include <cmath>
#include <utility>

namespace batchpeak::training {

namespace {

using engine::LogLevel;
using model::Phase;

constexpr std::chrono::seconds tickEvery{1};

} // namespace

TrainingCourse::TrainingCourse(TrainingSetup setup, QObject* parent)
    : QObject(parent),
      m_setup(std::move(setup)),
      m_book(m_setup.plan.description),
      m_sizes(m_setup.plan.sizes),
      m_sequence(0, m_setup.plan.length, m_setup.position),
      m_batchSize(m_setup.plan.description.batchSize)
{
    m_book.setSizes(m_sizes);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        m_book.setTelemetry(m_setup.devices.telemetry(0));
        publish();
    });
}

void TrainingCourse::start()
{
    m_clock.start();
    m_tick.start(tickEvery);
    for (const QString& note : std::as_const(m_setup.plan.notes))
        m_book.say(LogLevel::Warning, note);
    startWorker();
}

void TrainingCourse::startWorker()
{
    m_book.setState(TrainingState::Starting);
    m_worker = std::make_unique<TrainingWorker>(m_setup.devices.setups().front(), m_setup.plan.request);
    TrainingWorker* worker = m_worker.get();
    connect(worker, &TrainingWorker::said, this, [this](LogLevel level, const QString& text) {
        m_book.say(level, text);
        publish();
    });
    connect(worker, &TrainingWorker::ready, this, &TrainingCourse::becomeReady);
    connect(worker, &TrainingWorker::parametersDoNotFit, this, [this](qint64 needed, qint64 limit) {
        finish(TrainingEnd::NothingFits, parametersMisfitText(needed, limit));
    });
    connect(worker, &TrainingWorker::microBatchDone, this, [this](qint64 count) {
        m_book.setMicroBatchesDone(count);
        publish();
    });
    connect(worker, &TrainingWorker::batchEnded, this, &TrainingCourse::endBatch);
    connect(worker, &TrainingWorker::lost, this, &TrainingCourse::loseWorker);
    connect(worker, &TrainingWorker::ended, this, &TrainingCourse::reportEnd);
    worker->start();
    publish();
}

void TrainingCourse::becomeReady(const trial::TrainingReady& ready)
{
    if (state() != TrainingState::Starting)
        return;
    if (ready.samples < m_batchSize)
        return finish(TrainingEnd::Failed, tooLittleDataText(ready.samples, m_batchSize));
    m_ready = ready;
    m_sequence = BatchSequence(ready.samples, m_setup.plan.length, m_setup.position);
    m_evaluation =
        EvaluationRound(m_setup.options.evaluationBatches, m_setup.plan.evaluationBatchSize, ready.samples);
    m_book.setCourse(dataText(m_setup.plan.request.data, ready.samples), m_sequence.stepsInAll(m_batchSize));
    m_book.setState(TrainingState::Training);
    m_book.say(LogLevel::Info, engine::readyText(m_worker->device()));
    publish();
    emit deviceReady(snapshot().device);
    enterEpoch({.epoch = m_sequence.position().epoch});
}

/// Starts what comes next; only while nothing is under way.
void TrainingCourse::proceed()
{
    if (state() != TrainingState::Training)
        return;
    if (m_stopRequested)
        return finish(TrainingEnd::Interrupted);
    if (m_evaluationIsDue)
        return tryBatch(m_evaluation.request());
    if (m_sequence.isOver(m_batchSize))
        return finish(TrainingEnd::Completed);
    if (!m_sequence.epochHolds(m_batchSize))
        return beginEpoch();
    const DataPosition& position = m_sequence.position();
    tryBatch({.epoch = position.epoch, .first = position.samplesDone, .samples = m_batchSize});
}

void TrainingCourse::beginEpoch()
{
    m_sequence.beginEpoch();
    enterEpoch({.epoch = m_sequence.position().epoch});
}

void TrainingCourse::enterEpoch(ScheduleEntry entry)
{
    entry.step = nextStep();
    entry.microBatchSize = m_sizes.of(Phase::Train);
    entry.batchSize = m_batchSize;
    m_book.addEpoch(entry);
    m_book.setSteps(m_sequence.stepsInAll(m_batchSize));
    publish();
    emit epochBegan(entry);
    proceed();
}

void TrainingCourse::tryBatch(trial::BatchRequest request)
{
    request.microBatchSize = m_sizes.of(request.phase);
    attempt({.request = request});
}

void TrainingCourse::attempt(const BatchUnderWay& batch)
{
    m_batch = batch;
    m_book.setMicroBatchesDone(0);
    m_worker->runBatch(batch.request);
    publish();
}

void TrainingCourse::endBatch(const trial::BatchResult& result)
{
    if (state() != TrainingState::Training || !m_batch)
        return;
    const BatchUnderWay batch = *std::exchange(m_batch, std::nullopt);
    switch (result.outcome) {
    case trial::Outcome::Ok:
        return batch.request.phase == Phase::Train ? takeStep(batch, result) : takeEvaluation(batch, result);
    case trial::Outcome::OutOfMemory:
        return runOutOfMemory(batch, result);
    case trial::Outcome::Cancelled:
        if (m_stopRequested)
            return finish(TrainingEnd::Interrupted);
        break;
    default:
        break;
    }
    finish(TrainingEnd::Failed, failedBatchText(nextStep(), result));
}

void TrainingCourse::takeStep(const BatchUnderWay& batch, const trial::BatchResult& result)
{
    const StepRecord step = stepRecord(batch, result, nextStep(), m_ready.tokensPerSample);
    const auto verdict = m_sizes.recordDone(Phase::Train, result.allocationRetries);
    m_sequence.stepDone(m_batchSize);
    m_book.addStep(step);
    if (!std::isfinite(step.loss) && !std::exchange(m_hasDiverged, true))
        m_book.say(LogLevel::Warning, divergedText(step.step));
    const std::int64_t every = m_setup.options.evaluateEvery;
    if (every > 0 && step.step % every == 0) {
        m_evaluationIsDue = true;
        m_evaluation.restart();
    }
    publish();
    emit stepDone(step);
    if (verdict == MicroBatchSizes::Verdict::GoOnSmaller)
        tellChange(changeTo(batch.request, SizeChange::Reason::Thrashing), result);
    proceed();
}

void TrainingCourse::takeEvaluation(const BatchUnderWay& batch, const trial::BatchResult& result)
{
    m_evaluation.add(stepRecord(batch, result, m_sequence.position().step, m_ready.tokensPerSample));
    const auto verdict = m_sizes.recordDone(Phase::Eval, result.allocationRetries);
    if (m_evaluation.isDone()) {
        m_evaluationIsDue = false;
        StepRecord evaluation = m_evaluation.record();
        evaluation.epoch = m_sequence.position().epoch;
        m_book.addEvaluation(evaluation);
        publish();
        emit evaluated(evaluation);
    }
    if (verdict == MicroBatchSizes::Verdict::GoOnSmaller)
        tellChange(changeTo(batch.request, SizeChange::Reason::Thrashing), result);
    proceed();
}

void TrainingCourse::runOutOfMemory(BatchUnderWay batch, const trial::BatchResult& result)
{
    const Phase phase = batch.request.phase;
    m_book.countOutOfMemory();
    if (result.isLast)
        return finish(TrainingEnd::Failed, memoryLostText());
    if (m_sizes.recordOutOfMemory(phase) == MicroBatchSizes::Verdict::NothingFits)
        return finish(TrainingEnd::NothingFits, misfitText({.phase = phase,
                                                            .microBatchSize = m_sizes.of(phase),
                                                            .mayBeSmaller = m_setup.plan.accumulates,
                                                            .neededBytes = result.peakReservedBytes,
                                                            .usableBytes = m_worker->device().usableBytes}));
    const SizeChange change = changeTo(batch.request, SizeChange::Reason::OutOfMemory);
    ++batch.attempts;
    batch.request.microBatchSize = change.to;
    tellChange(change, result);
    if (state() == TrainingState::Training)
        attempt(batch);
}

SizeChange TrainingCourse::changeTo(const trial::BatchRequest& request, SizeChange::Reason reason) const
{
    const bool isTraining = request.phase == Phase::Train;
    return {.step = isTraining ? nextStep() : m_sequence.position().step,
            .phase = request.phase,
            .from = request.microBatchSize,
            .to = m_sizes.of(request.phase),
            .reason = reason};
}

void TrainingCourse::tellChange(const SizeChange& change, const trial::BatchResult& result)
{
    m_book.addChange(change);
    m_book.setSizes(m_sizes);
    m_book.say(LogLevel::Warning, changeText(change, result));
    publish();
    emit sizeChanged(change);
}

void TrainingCourse::stop()
{
    switch (state()) {
    case TrainingState::Starting:
        return finish(TrainingEnd::Interrupted);
    case TrainingState::Training:
        break;
    default:
        return;
    }
    if (std::exchange(m_stopRequested, true)) {
        m_cancelRequested = true;
        m_worker->cancel();
        return;
    }
    m_book.say(LogLevel::Info, tr("Stopping after the step under way."));
    publish();
}

void TrainingCourse::loseWorker(const QString& sentence)
{
    // Whoever cancels wants the end, whatever the worker makes of it.
    if (!m_cancelRequested)
        return finish(TrainingEnd::Failed, sentence);
    m_book.say(LogLevel::Warning, sentence);
    finish(TrainingEnd::Interrupted);
}

void TrainingCourse::finish(TrainingEnd end, const QString& failure)
{
    if (state() == TrainingState::Finishing || hasEnded())
        return;
    m_end = end;
    m_book.setFailure(failure);
    m_book.setState(TrainingState::Finishing);
    publish();
    if (m_worker)
        m_worker->end();
    else
        QTimer::singleShot(0, this, &TrainingCourse::reportEnd);
}

void TrainingCourse::reportEnd()
{
    if (hasEnded())
        return;
    m_tick.stop();
    publish();
    m_book.close(m_end);
    emit snapshotChanged(snapshot());
    emit finished(m_end);
}

void TrainingCourse::publish()
{
    if (!hasEnded()) {
        if (m_worker)
            m_book.setDevice(m_worker->device());
        m_book.takeTime(static_cast<double>(m_clock.elapsed()) / 1000.0);
    }
    emit snapshotChanged(snapshot());
}

} // namespace batchpeak::training
