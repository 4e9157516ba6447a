// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training_run.h"

#include <QIODevice>
#include <QJsonObject>
#include <QObject>
#include <QString>

namespace batchpeak::training {

/// Writes what happens in a training run as JSON Lines for other programs (docs/events.md), as
/// engine::EventLog does for an exploration.
///
/// It only writes; whoever owns the device opens it and says where it is.
class TrainingEventLog : public QObject
{
    Q_OBJECT

public:
    /// \param device  open for writing; it and the run outlive this object
    TrainingEventLog(const TrainingRun& run, QIODevice& device, QObject* parent = nullptr);

    /// Why lines are missing, as the system says it; empty while none is.
    const QString& problem() const { return m_problem; }

private:
    void writeStarted();
    void writeDevice(const engine::DeviceSnapshot& device);
    void writeMaximum(const MaximumFound& maximum);
    void writeEpoch(const ScheduleEntry& entry);
    void writeStep(const QString& event, const StepRecord& step);
    void writeChange(const SizeChange& change);
    void writeCheckpoint(const QString& path, qint64 step);
    void writeFinished(TrainingEnd end);
    void write(const QString& event, const QJsonObject& fields);

    const TrainingRun& m_run;
    QIODevice& m_device;
    QString m_problem;
};

} // namespace batchpeak::training
