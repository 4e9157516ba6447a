// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_sequence.h"
#include "training_plan.h"
#include "training_snapshot.h"

#include <cstdint>

namespace batchpeak::training {

/// Updates the snapshot of a training run with its events, and computes values that depend on them: speed,
/// time left, the log. It does not decide when anything happens.
class TrainingSnapshotBuilder
{
public:
    explicit TrainingSnapshotBuilder(TrainingDescription description);

    const TrainingSnapshot& snapshot() const { return m_snapshot; }

    void setState(TrainingState state) { m_snapshot.state = state; }
    void setDevice(const engine::DeviceSnapshot& device);
    void setTelemetry(const engine::Telemetry& telemetry) { m_snapshot.device.telemetry = telemetry; }
    void setSizes(const MicroBatchSizes& sizes);
    void setMicroBatchesDone(std::int64_t count) { m_snapshot.microBatchesDone = count; }
    /// Properties of the run that are known once the data is read.
    struct Course
    {
        QString data;
        std::int64_t heldOutSamples = 0;
        std::int64_t steps = 0;
    };
    void setCourse(const Course& course);
    void setSteps(std::int64_t steps) { m_snapshot.run->steps = steps; }
    void setMaximum(const MaximumFound& maximum);
    void setCheckpoint(const QString& path) { m_snapshot.checkpoint = path; }
    void setFailure(const QString& sentence) { m_snapshot.failure = sentence; }

    void countOutOfMemory() { ++m_snapshot.outOfMemoryEvents; }
    void addStep(const StepRecord& step);
    void addEvaluation(const StepRecord& evaluation);
    void addChange(const SizeChange& change) { m_snapshot.changes.push_back(change); }
    void addEpoch(const ScheduleEntry& entry) { m_snapshot.schedule.push_back(entry); }
    void log(engine::LogLevel level, const QString& text);

    void takeTime(double now);
    void close(TrainingEnd end);

private:
    TrainingSnapshot m_snapshot;
    /// Samples and seconds of the training steps whose preceding step had the same sizes.
    double m_warmSamples = 0.0;
    double m_warmSeconds = 0.0;
    /// Measured and predicted seconds of those steps among them that have a prediction.
    double m_comparedSeconds = 0.0;
    double m_predictedSeconds = 0.0;
    /// Samples of all training steps, and seconds that include the evaluations between them.
    double m_samples = 0.0;
    double m_seconds = 0.0;
};

} // namespace batchpeak::training
