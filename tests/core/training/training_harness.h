// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "small_config.h"
#include "support/rows.h"
#include "training/training_run.h"

#include <QObject>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <memory>

namespace batchpeak::test {

/// A training run on the fake worker: a batch of 64 in micro-batches of the requested size, with 16 batches
/// per epoch.
class TrainingHarness : public QObject
{
    Q_OBJECT

public:
    /// \param words  words of the fake worker's command line, see fake_behavior.h
    explicit TrainingHarness(const Text& words = {});

    training::TrainingOptions options;
    engine::ExplorationParts parts;
    config::ConfigContents contents = smallConfig();

    /// Returns the path of a name in this harness's folder, for checkpoints and other files.
    QString path(const QString& name) const { return m_folder.filePath(name); }
    /// Returns the run, which is created and loaded at the first call.
    training::TrainingRun& run();
    bool runToEnd();
    /// Runs to the end, and returns whether the run ended in that way.
    bool endsAs(training::TrainingEnd end) { return runToEnd() && snapshot().end == end; }
    void destroyRun() { m_run.reset(); }
    const training::TrainingSnapshot& snapshot() { return run().snapshot(); }

    /// Returns the steps that were done: "1: 64 in 4 x 16, 2: 64 in 4 x 16".
    QString steps();
    /// Returns the changes: "train 1: 64 to 32, ...".
    QString changes();
    QList<double> losses();
    QString log();
    /// Returns the received signals in order: "device epoch step step finished".
    QString signalsSeen() const { return m_signals.join(QLatin1Char(' ')); }
    int finishedSignals() const { return static_cast<int>(m_signals.count(QStringLiteral("finished"))); }
    /// Whether no worker that ever appeared in a snapshot is alive.
    bool isNoWorkerLeft() const;

private:
    std::unique_ptr<training::TrainingRun> m_run;
    QTemporaryDir m_folder;
    QSet<qint64> m_pids;
    QStringList m_signals;
};

} // namespace batchpeak::test
