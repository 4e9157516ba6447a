// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_steps.h"

#include "accumulation/micro_batches.h"
#include "checkpoints/tensor_hash.h"
#include "engine/log_text.h"
#include "training_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::training {

using engine::LogLevel;
using model::Phase;
using Verdict = MicroBatchSizes::Verdict;

namespace {

/// Returns the number of samples of an evaluation: all held-out samples, or some of those that are trained
/// on, and no more than requested.
std::int64_t evaluatedSamples(const TrainingSetup& setup, const trial::TrainingReady& ready)
{
    const std::int64_t all = ready.heldOutSamples > 0 ? ready.heldOutSamples : ready.samples;
    const std::optional<std::int64_t>& asked = setup.options.evaluationBatches;
    if (ready.heldOutSamples > 0 && !asked)
        return all;
    std::int64_t samples = 0;
    if (__builtin_mul_overflow(asked.value_or(defaultEvaluationBatches), setup.plan.evaluationBatchSize,
                               &samples))
        return all;
    return std::min(all, samples);
}

} // namespace

BatchAttempts::BatchAttempts(TrainingWorker& worker, const MicroBatchSizes& sizes)
    : m_worker(worker), m_sizes(sizes)
{
    connect(&worker, &TrainingWorker::batchEnded, this, &BatchAttempts::takeResult);
}

void BatchAttempts::run(trial::BatchRequest request)
{
    request.microBatchSize = m_sizes.of(request.phase);
    attempt({.request = request});
}

std::int64_t BatchAttempts::microBatches() const
{
    return m_batch ? accumulation::evenSpread(m_batch->request.samples, m_batch->request.microBatchSize)
                         .microBatches()
                   : 0;
}

void BatchAttempts::attempt(const BatchUnderWay& batch)
{
    m_batch = batch;
    m_worker.runBatch(batch.request);
}

void BatchAttempts::takeResult(const trial::BatchResult& result)
{
    const BatchUnderWay batch = *std::exchange(m_batch, std::nullopt);
    if (result.outcome == trial::Outcome::OutOfMemory)
        return takeOutOfMemory(batch, result);
    if (result.outcome == trial::Outcome::Cancelled)
        return emit cancelled();
    if (result.outcome != trial::Outcome::Ok)
        return emit failed(batch.request, result);
    const Verdict verdict = m_sizes.recordDone(batch.request.phase, result.allocationRetries);
    emit done(batch, result, verdict == Verdict::ContinueSmaller);
}

void BatchAttempts::takeOutOfMemory(BatchUnderWay batch, const trial::BatchResult& result)
{
    const model::Phase phase = batch.request.phase;
    emit ranOutOfMemory();
    if (result.isLast)
        return emit failed(batch.request, result);
    if (m_sizes.recordOutOfMemory(phase) == Verdict::NothingFits)
        return emit doesNotFit(phase, result);
    const SizeChange change{.phase = phase,
                            .from = batch.request.microBatchSize,
                            .to = m_sizes.of(phase),
                            .reason = SizeChange::Reason::OutOfMemory};
    ++batch.attempts;
    batch.request.microBatchSize = change.to;
    emit halved(change, result);
    attempt(batch);
}

TrainingSteps::TrainingSteps(const TrainingSetup& setup, TrainingSnapshotBuilder& builder,
                             TrainingWorker& worker, std::unique_ptr<EpochGrowth> growth)
    : m_setup(setup),
      m_builder(builder),
      m_worker(worker),
      m_growth(std::move(growth)),
      m_attempts(worker, MicroBatchSizes(setup.plan.sizes)),
      m_sequence(0, setup.plan.length, setup.position),
      m_checkpoints(setup.options.checkpointFolder, setup.options.checkpointEvery, setup.position.step,
                    setup.fingerprint, setup.training, setup.checkpointLock),
      m_batchSize(setup.batchSize)
{
    connect(&worker, &TrainingWorker::saved, this, &TrainingSteps::endSave);
    connect(&worker, &TrainingWorker::microBatchDone, this, [this](qint64 count) {
        // A worker may report any number.
        m_builder.setMicroBatchesDone(std::min<std::int64_t>(count, m_attempts.microBatches()));
        emit changed();
    });
    connectAttempts();
    if (m_growth)
        connectGrowth();
}

void TrainingSteps::connectAttempts()
{
    connect(&m_attempts, &BatchAttempts::done, this, &TrainingSteps::takeBatch);
    connect(&m_attempts, &BatchAttempts::ranOutOfMemory, this, [this] { m_builder.countOutOfMemory(); });
    connect(&m_attempts, &BatchAttempts::halved, this, &TrainingSteps::tellHalving);
    connect(&m_attempts, &BatchAttempts::doesNotFit, this, &TrainingSteps::misfit);
    connect(&m_attempts, &BatchAttempts::cancelled, this, [this] { conclude(TrainingEnd::Interrupted); });
    connect(&m_attempts, &BatchAttempts::failed, this,
            [this](const trial::BatchRequest& batch, const trial::BatchResult& result) {
                if (result.isLast)
                    return emit concluded(TrainingEnd::Failed, memoryLostText());
                conclude(TrainingEnd::Failed, failedBatchText(stepsDone() + 1, batch, result));
            });
}

void TrainingSteps::connectGrowth()
{
    connect(m_growth.get(), &EpochGrowth::decided, this, &TrainingSteps::grow);
    connect(m_growth.get(), &EpochGrowth::failed, this,
            [this](const QString& sentence) { log(LogLevel::Warning, sentence); });
}

void TrainingSteps::begin(const trial::TrainingReady& ready, StepPrediction prediction)
{
    m_prediction = std::move(prediction);
    m_tokensPerSample = ready.tokensPerSample;
    m_sequence = BatchSequence(ready.samples, m_setup.plan.length, m_setup.position);
    m_holdsOut = ready.heldOutSamples > 0;
    m_evaluation = EvaluationRound(evaluatedSamples(m_setup, ready), m_setup.plan.evaluationBatchSize);
    m_checkpoints.setSamples(ready.samples, ready.heldOutSamples);
    m_builder.setCourse({.data = dataText(m_setup.plan.request.data, ready),
                         .heldOutSamples = ready.heldOutSamples,
                         .steps = m_sequence.stepsInAll(m_batchSize)});
    if (m_sequence.isOver(m_batchSize))
        return emit concluded(TrainingEnd::Failed, nothingLeftText(stepsDone()));
    // A checkpoint may have been written at the very end of an epoch.
    if (!m_sequence.epochHolds(m_batchSize))
        return proceed();
    enterEpoch({.epoch = m_sequence.position().epoch,
                .microBatchSize = m_attempts.sizes().of(Phase::Train),
                .batchSize = m_batchSize});
}

/// Starts the next action; only while nothing is under way.
void TrainingSteps::proceed()
{
    if (!isTraining())
        return;
    if (m_stopRequested)
        return conclude(TrainingEnd::Interrupted);
    if (m_evaluationIsDue)
        return tryBatch(m_evaluation.request());
    if (m_sequence.isOver(m_batchSize))
        return conclude(TrainingEnd::Completed);
    if (m_checkpoints.isDue(stepsDone()))
        return save();
    if (!m_sequence.epochHolds(m_batchSize))
        return beginEpoch();
    const DataPosition& position = m_sequence.position();
    tryBatch({.epoch = position.epoch, .first = position.samplesDone, .samples = m_batchSize});
}

void TrainingSteps::beginEpoch()
{
    m_sequence.beginEpoch();
    const std::int64_t epoch = m_sequence.position().epoch;
    const std::int64_t size = m_attempts.sizes().of(Phase::Train);
    if (!m_growth)
        return enterEpoch({.epoch = epoch, .microBatchSize = size, .batchSize = m_batchSize});
    m_growth->ask({.epoch = epoch,
                   .microBatchSize = size,
                   .batchSize = m_batchSize,
                   .samples = m_sequence.samplesPerEpoch()});
}

void TrainingSteps::grow(const ScheduleEntry& entry, std::int64_t limit)
{
    const SizeChange change{.step = stepsDone() + 1,
                            .from = m_attempts.sizes().of(Phase::Train),
                            .to = entry.microBatchSize,
                            .reason = SizeChange::Reason::Growth};
    const bool changes = change.from != change.to;
    const bool isIgnored = entry.increment != 0 && !changes;
    m_builder.log(isIgnored ? LogLevel::Warning : LogLevel::Info, growthText(entry, limit));
    if (changes) {
        m_attempts.setSize(change.to);
        m_batchSize = entry.batchSize;
        m_builder.setSizes(m_attempts.sizes());
        m_builder.addChange(change);
        emit changed();
        emit occurred(change);
    }
    enterEpoch(entry);
}

void TrainingSteps::enterEpoch(ScheduleEntry entry)
{
    entry.step = stepsDone() + 1;
    m_builder.addEpoch(entry);
    m_builder.setSteps(m_sequence.stepsInAll(m_batchSize));
    emit changed();
    emit occurred(EpochBegan{entry});
    proceed();
}

void TrainingSteps::tryBatch(const trial::BatchRequest& request)
{
    m_builder.setMicroBatchesDone(0);
    m_attempts.run(request);
    emit changed();
}

void TrainingSteps::takeBatch(const BatchUnderWay& batch, const trial::BatchResult& result, bool shrinks)
{
    const Phase phase = batch.request.phase;
    const bool isStep = phase == Phase::Train;
    StepRecord record = stepRecord(batch, result, stepsDone() + (isStep ? 1 : 0), m_tokensPerSample);
    if (isStep) {
        record.predictedSamplesPerSecond =
            m_prediction.samplesPerSecond(record.batchSize, batch.request.microBatchSize);
        takeStep(record);
    } else {
        takeEvaluation(record);
    }
    if (shrinks)
        tellHalving({.phase = phase,
                     .from = batch.request.microBatchSize,
                     .to = m_attempts.sizes().of(phase),
                     .reason = SizeChange::Reason::Thrashing},
                    result);
    proceed();
}

void TrainingSteps::takeStep(const StepRecord& step)
{
    m_sequence.stepDone(m_batchSize);
    m_builder.addStep(step);
    if (!std::isfinite(step.loss) && !std::exchange(m_hasDiverged, true))
        m_builder.log(LogLevel::Warning, divergedText(step.step));
    if (isEvaluatedNow()) {
        m_evaluationIsDue = true;
        m_evaluation.restart();
    }
    emit changed();
    emit occurred(StepDone{step});
}

bool TrainingSteps::isEvaluatedNow() const
{
    const std::int64_t every = m_setup.options.evaluateEvery;
    if (every > 0)
        return stepsDone() % every == 0;
    return m_holdsOut && (!m_sequence.epochHolds(m_batchSize) || m_sequence.isOver(m_batchSize));
}

void TrainingSteps::takeEvaluation(const StepRecord& batch)
{
    m_evaluation.add(batch);
    if (!m_evaluation.isDone())
        return;
    m_evaluationIsDue = false;
    StepRecord evaluation = m_evaluation.record();
    evaluation.epoch = m_sequence.position().epoch;
    m_builder.addEvaluation(evaluation);
    emit changed();
    emit occurred(Evaluated{evaluation});
}

void TrainingSteps::misfit(Phase phase, const trial::BatchResult& result)
{
    conclude(TrainingEnd::NothingFits, misfitText({.phase = phase,
                                                   .microBatchSize = result.microBatchSize,
                                                   .mayBeSmaller = m_setup.plan.accumulates,
                                                   .neededBytes = result.peakReservedBytes,
                                                   .usableBytes = m_worker.device().usableBytes}));
}

void TrainingSteps::tellHalving(SizeChange change, const trial::BatchResult& result)
{
    const bool isOfTraining = change.phase == Phase::Train;
    change.step = stepsDone() + (isOfTraining ? 1 : 0);
    if (m_growth && isOfTraining)
        m_growth->lowerMaximum(change.from - 1);
    m_builder.addChange(change);
    m_builder.setSizes(m_attempts.sizes());
    m_builder.setMicroBatchesDone(0);
    m_builder.log(LogLevel::Warning, changeText(change, result));
    emit changed();
    emit occurred(change);
}

void TrainingSteps::save()
{
    m_builder.setState(TrainingState::Saving);
    emit changed();
    try {
        m_worker.save(m_checkpoints.begin(stepsDone()));
    } catch (const config::ConfigError& error) {
        failSave(QString::fromUtf8(error.what()));
    }
}

void TrainingSteps::endSave(const trial::Saved& saved)
{
    if (!saved.problem.empty())
        return failSave(QString::fromStdString(saved.problem));
    try {
        m_builder.setCheckpoint(m_checkpoints.commit(m_sequence.position(), m_attempts.sizes(), m_batchSize));
    } catch (const config::ConfigError& error) {
        return failSave(QString::fromUtf8(error.what()));
    }
    // The checkpoint is already complete, and stays so whatever happens to this program meanwhile.
    m_isHashing = true;
    m_hashing.cancel();
    m_hashing.run([tensors = m_checkpoints.writtenTensors()](
                      const std::stop_token& stop) { return tensorHash(tensors, stop); },
                  [this](const QString& hash) { takeHash(hash); });
    emit changed();
}

void TrainingSteps::takeHash(const QString& hash)
{
    // The hash is no longer waited for, or the worker was lost meanwhile.
    if (!std::exchange(m_isHashing, false) || m_builder.snapshot().state != TrainingState::Saving)
        return;
    try {
        if (hash.isEmpty())
            log(LogLevel::Warning, noTensorHashText(stepsDone(), tr("They cannot be read.")));
        else
            m_checkpoints.addTensorHash(hash);
    } catch (const config::ConfigError& error) {
        log(LogLevel::Warning, noTensorHashText(stepsDone(), QString::fromUtf8(error.what())));
    }
    announceCheckpoint();
}

void TrainingSteps::announceCheckpoint()
{
    m_builder.setState(TrainingState::Training);
    emit changed();
    emit occurred(CheckpointSaved{.path = m_builder.snapshot().checkpoint, .step = stepsDone()});
    if (m_conclusion)
        return emit concluded(m_conclusion->end, m_conclusion->failure);
    proceed();
}

/// Ends the training only if the save was the last one: otherwise a later save may succeed, but at the end
/// the trained state is lost.
void TrainingSteps::failSave(const QString& why)
{
    const QString sentence = notSavedText(stepsDone(), why);
    m_checkpoints.giveUp(stepsDone());
    m_builder.setState(TrainingState::Training);
    if (m_conclusion && m_conclusion->failure.isEmpty())
        return emit concluded(TrainingEnd::Failed, sentence);
    log(LogLevel::Error, sentence);
    if (m_conclusion)
        return emit concluded(m_conclusion->end, m_conclusion->failure);
    proceed();
}

void TrainingSteps::stop()
{
    // A user who stops again does not wait for the hash, which is optional.
    if (m_isHashing && (m_conclusion || m_stopRequested)) {
        m_isHashing = false;
        return announceCheckpoint();
    }
    if (m_conclusion)
        return;
    if (std::exchange(m_stopRequested, true)) {
        m_cancelRequested = true;
        m_worker.cancel();
        return;
    }
    log(LogLevel::Info, tr("Stopping after the step under way."));
    // The function that was called for the next epoch may be slow.
    if (m_growth && m_growth->isAsking()) {
        m_growth->forget();
        proceed();
    }
}

/// Ends the training once the trained state is saved.
void TrainingSteps::conclude(TrainingEnd end, const QString& failure)
{
    if (!m_checkpoints.isNewer(stepsDone()))
        return emit concluded(end, failure);
    m_conclusion = {.end = end, .failure = failure};
    save();
}

void TrainingSteps::log(LogLevel level, const QString& text)
{
    m_builder.log(level, text);
    emit changed();
}

} // namespace batchpeak::training
