// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "confirmation_snapshot.h"
#include "engine/event_log.h"
#include "training_run.h"

#include <QIODevice>
#include <QObject>
#include <QString>

namespace batchpeak::training {

/// Writes the events of a training run as JSON Lines for other programs (docs/events.md), as engine::EventLog
/// does for an exploration.
class TrainingEventLog : public QObject
{
    Q_OBJECT

public:
    /// \param device  device that is open for writing; it and the run outlive this object
    TrainingEventLog(const TrainingRun& run, QIODevice& device, QObject* parent = nullptr);

signals:
    /// Emitted once, at the first line that could not be written.
    /// \param problem  error message of the system
    void failed(const QString& problem);

private:
    void write(const engine::Started& started);
    void write(const engine::DeviceReady& ready);
    void write(const MaximumFound& maximum);
    void write(const EpochBegan& began);
    void write(const StepDone& done) { writeStep(QStringLiteral("step"), done.step); }
    void write(const Evaluated& done) { writeStep(QStringLiteral("evaluation"), done.evaluation); }
    void write(const SizeChange& change);
    void write(const CheckpointSaved& saved);
    void write(const TrainingFinished& finished);
    void writeStep(const QString& event, const StepRecord& step);

    const TrainingRun& m_run;
    engine::EventLines m_lines;
};

/// Writes the results of full steps as events, one for each size (docs/events.md).
/// \return the system's error message if not everything could be written; else empty
QString writeConfirmation(QIODevice& device, const ConfirmationSnapshot& snapshot);

} // namespace batchpeak::training
