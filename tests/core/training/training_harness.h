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

/// A training on the fake worker: a batch of 64 in micro-batches of what is asked for, 16 batches an epoch.
class TrainingHarness : public QObject
{
    Q_OBJECT

public:
    /// \param words  of the fake worker's command line, see fake_behavior.h
    explicit TrainingHarness(const Text& words = {});

    training::TrainingOptions options;
    engine::ExplorationParts parts;
    config::ConfigContents contents = smallConfig();

    /// The folder of this harness, for checkpoints and others.
    QString path(const QString& name) const { return m_folder.filePath(name); }
    /// Made and loaded at the first call.
    training::TrainingRun& run();
    bool runToEnd();
    /// Runs, and whether that ended so.
    bool endsAs(training::TrainingEnd end) { return runToEnd() && snapshot().end == end; }
    void destroyRun() { m_run.reset(); }
    const training::TrainingSnapshot& snapshot() { return run().snapshot(); }

    /// "1: 64 in 4 x 16, 2: 64 in 4 x 16" of the steps that were done.
    QString steps();
    /// "train 1: 64 to 32, ..." of the changes.
    QString changes();
    QList<double> losses();
    QString log();
    /// The signals that came, in their order: "device epoch step step finished".
    QString signalsSeen() const { return m_signals.join(QLatin1Char(' ')); }
    int finishedSignals() const { return static_cast<int>(m_signals.count(QStringLiteral("finished"))); }
    /// No worker that was ever seen in a snapshot is alive.
    bool isNoWorkerLeft() const;

private:
    std::unique_ptr<training::TrainingRun> m_run;
    QTemporaryDir m_folder;
    QSet<qint64> m_pids;
    QStringList m_signals;
};

} // namespace batchpeak::test
