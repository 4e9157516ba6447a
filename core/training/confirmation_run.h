// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "exploration_parts.h"
#include "snapshot.h"
#include "training_options.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::training {

/// A size that full steps are to confirm, and what trials say of it.
struct ConfirmedSize
{
    std::int64_t microBatchSize = 0;
    std::int64_t accumulationSteps = 0;
    /// Of whole optimizer steps at the config's batch, from the times of the exploration's trials.
    double predictedSamplesPerSecond = 0.0;
    /// Measured; nothing before its first timed step.
    std::optional<double> achievedSamplesPerSecond;
    /// Standard error of that, relative.
    std::optional<double> relativeError;
    int steps = 0;
    std::int64_t peakReservedBytes = 0;
    bool ranOutOfMemory = false;

    /// achieved / predicted - 1: how far trials and training are from each other.
    std::optional<double> miscorrelation() const;

    bool operator==(const ConfirmedSize&) const = default;
};

struct ConfirmationSnapshot
{
    bool isRunning = false;
    std::int64_t batchSize = 0;
    /// The recommended size first, then its runner-up where there is one.
    std::vector<ConfirmedSize> sizes;
    /// Steps done and to do, of all sizes together.
    int stepsDone = 0;
    int stepsInAll = 0;
    /// Why it could not be run, as a full sentence; else empty.
    QString failure;
};

/// Full optimizer steps at the size that an exploration recommends and at its runner-up, in turn in one fresh
/// process, beside what the trials predict for the config's batch.
///
/// It predicts, runs and compares; it does not change what is recommended.
class ConfirmationRun : public QObject
{
    Q_OBJECT

public:
    explicit ConfirmationRun(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    ~ConfirmationRun() override;

    const ConfirmationSnapshot& snapshot() const;

    /// \param steps  timed full steps of each size
    /// \param sizes  recommended and runner-up with predictions, as of predictedSizes()
    /// \throws config::ConfigError, engine::ExplorationError as TrainingRun::load
    void start(const QString& filePath, const config::ConfigContents& contents,
               const TrainingOptions& options, std::vector<ConfirmedSize> sizes, int steps);
    /// Ends after the step under way.
    void stop();

signals:
    void snapshotChanged(const batchpeak::training::ConfirmationSnapshot& snapshot);
    /// Once for each start().
    void finished();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::training
