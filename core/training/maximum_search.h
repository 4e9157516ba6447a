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

/// Finds the largest micro-batch size that fits, in one of torchtune's ways, with live trials of its own
/// process, before a training begins.
///
/// The RFC restores the random state before each try, for the same dropout in all: each trial of our worker
/// seeds the generators anew before it makes its batch (StepRunner::prepare in core/network).
///
/// It searches sizes up to a bound and rounds; whether and how to train with the answer is its owner's.
class MaximumSearch : public QObject
{
    Q_OBJECT

public:
    explicit MaximumSearch(engine::ExplorationParts parts = {}, QObject* parent = nullptr);
    ~MaximumSearch() override;

    /// \param largest  size above which it need not look
    /// \throws config::ConfigError, engine::ExplorationError as engine::Exploration::load
    void start(const QString& filePath, const config::ConfigContents& contents,
               const TrainingOptions& options, std::int64_t largest);
    void stop();
    /// That it ran on; once it has ended.
    engine::DeviceIdentity device() const;

signals:
    void found(const batchpeak::training::MaximumFound& maximum);
    /// Torchtune's sentence, and the memory that there is.
    void nothingFits(const QString& sentence);
    void failed(const QString& sentence);
    /// After stop().
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
