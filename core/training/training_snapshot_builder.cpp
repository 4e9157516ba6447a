// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_snapshot_builder.h"

#include "engine/log_text.h"
#include "training_text.h"

#include <utility>

namespace batchpeak::training {

TrainingSnapshotBuilder::TrainingSnapshotBuilder(TrainingDescription description)
{
    m_snapshot.run = std::move(description);
}

void TrainingSnapshotBuilder::setDevice(const engine::DeviceSnapshot& device)
{
    const engine::Telemetry telemetry = m_snapshot.device.telemetry;
    m_snapshot.device = device;
    m_snapshot.device.telemetry = telemetry;
    engine::addApproximations(m_snapshot.run->run.fidelity, device);
}

void TrainingSnapshotBuilder::setSizes(const MicroBatchSizes& sizes)
{
    m_snapshot.microBatchSize = sizes.of(model::Phase::Train);
    m_snapshot.evaluationMicroBatchSize = sizes.of(model::Phase::Eval);
}

void TrainingSnapshotBuilder::setCourse(const Course& course)
{
    m_snapshot.run->data = course.data;
    m_snapshot.run->heldOutSamples = course.heldOutSamples;
    m_snapshot.run->steps = course.steps;
}

void TrainingSnapshotBuilder::setMaximum(const MaximumFound& maximum)
{
    m_snapshot.maximum = maximum;
    m_snapshot.outOfMemoryEvents += maximum.outOfMemoryEvents;
}

void TrainingSnapshotBuilder::addStep(const StepRecord& step)
{
    const auto& steps = m_snapshot.steps;
    const bool isWarm = !steps.empty() && steps.back().microBatchSize == step.microBatchSize &&
                        steps.back().batchSize == step.batchSize;
    const auto samples = static_cast<double>(step.batchSize);
    if (isWarm) {
        m_warmSamples += samples;
        m_warmSeconds += step.seconds;
        m_snapshot.samplesPerSecond = m_warmSamples / m_warmSeconds;
    }
    if (isWarm && step.predictedSamplesPerSecond > 0.0) {
        m_comparedSeconds += step.seconds;
        m_predictedSeconds += samples / step.predictedSamplesPerSecond;
        m_snapshot.overPrediction = m_predictedSeconds / m_comparedSeconds - 1.0;
    }
    m_samples += samples;
    m_seconds += step.seconds;
    m_snapshot.steps.push_back(step);
    m_snapshot.microBatchesDone = 0;
}

void TrainingSnapshotBuilder::addEvaluation(const StepRecord& evaluation)
{
    m_seconds += evaluation.seconds;
    m_snapshot.evaluations.push_back(evaluation);
    m_snapshot.microBatchesDone = 0;
}

void TrainingSnapshotBuilder::log(engine::LogLevel level, const QString& text)
{
    engine::addLine(m_snapshot.log, level, text);
}

void TrainingSnapshotBuilder::takeTime(double now)
{
    m_snapshot.elapsedSeconds = now;
    m_snapshot.secondsLeft.reset();
    if (m_snapshot.steps.empty())
        return;
    const StepRecord& last = m_snapshot.steps.back();
    const auto stepsLeft = static_cast<double>(m_snapshot.run->steps - last.step);
    m_snapshot.secondsLeft = stepsLeft * static_cast<double>(last.batchSize) * m_seconds / m_samples;
}

void TrainingSnapshotBuilder::close(TrainingEnd end)
{
    const bool isGood = end == TrainingEnd::Completed || end == TrainingEnd::Interrupted;
    m_snapshot.state = end == TrainingEnd::Failed ? TrainingState::Failed : TrainingState::Finished;
    m_snapshot.end = end;
    m_snapshot.secondsLeft.reset();
    if (isGood)
        log(engine::LogLevel::Info, endText(end, m_snapshot.lastStep()));
    else
        log(engine::LogLevel::Error, m_snapshot.failure);
}

} // namespace batchpeak::training
