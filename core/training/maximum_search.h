// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "training_options.h"
#include "training_snapshot.h"
#include "workers/device_identity.h"
#include "workers/exploration_parts.h"

#include <QObject>

#include <memory>

namespace batchpeak::training {

/// Finds the largest micro-batch size that fits, by one of torchtune's methods, with live trials in a
/// separate process, before a training begins.
///
/// The RFC restores the random state before each attempt, so that dropout is the same in all of them.
/// Instead, each trial of batchpeak-worker reseeds the generators before it creates its batch
/// (StepRunner::prepare in core/network).
///
/// It searches sizes up to a bound and rounds the result. Its owner decides whether and how to train with it.
class MaximumSearch : public QObject
{
    Q_OBJECT

public:
    explicit MaximumSearch(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    ~MaximumSearch() override;

    /// \param largest  upper bound of the search
    /// \throws config::ConfigError, engine::ExplorationError  like engine::Exploration::load
    void start(const QString& filePath, const config::ConfigContents& contents,
               const TrainingOptions& options, std::int64_t largest);
    void stop();
    /// Returns the device that the search ran on, once the search has ended.
    engine::DeviceIdentity device() const;

signals:
    void found(const batchpeak::training::MaximumFound& maximum);
    /// Emitted with torchtune's sentence and the amount of memory.
    void nothingFits(const QString& sentence);
    void failed(const QString& sentence);
    /// Emitted after stop().
    void stopped();
    void logged(batchpeak::engine::LogLevel level, const QString& text);

private:
    void passOnWarnings(const batchpeak::engine::Snapshot& snapshot);
    void report();
    std::int64_t recommendedSize(const engine::Snapshot& snapshot);

    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::training
