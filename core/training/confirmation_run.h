// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "confirmation_snapshot.h"
#include "engine/exploration_parts.h"
#include "engine/snapshot.h"
#include "training_options.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace batchpeak::training {

/// Timed full steps of each size, where nobody says how many: enough that the mean of the steps is known to
/// well below the 2 % that trials and training should agree within, on a device whose steps vary by some
/// percent.
inline constexpr int usualConfirmationSteps = 20;

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
    /// \param sizes  recommended and runner-up, as of engine::predictedSizes()
    /// \throws config::ConfigError, engine::ExplorationError as TrainingRun::load
    /// \throws engine::DeviceInUse where another run uses the device
    void start(const QString& filePath, const config::ConfigContents& contents,
               const TrainingOptions& options, const std::vector<engine::PredictedSize>& sizes, int steps);
    /// Ends after the step under way. Asked a second time, it cancels the step.
    void stop();

signals:
    void snapshotChanged(const batchpeak::training::ConfirmationSnapshot& snapshot);
    /// Once for each start().
    void finished();
    void said(batchpeak::engine::LogLevel level, const QString& text);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::training
