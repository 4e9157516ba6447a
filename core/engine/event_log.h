// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration.h"

#include <QIODevice>
#include <QJsonObject>
#include <QObject>
#include <QString>

namespace batchpeak::engine {

/// Writes what happens in an exploration as JSON Lines for other programs: one object a line, each with
/// "event" and "time" (ISO 8601, UTC), numbers as in the C locale whatever the user's, absent values as
/// null. The first object carries "schema": 1.
///
/// It only writes; whoever owns the device opens it and says where it is.
class EventLog : public QObject
{
    Q_OBJECT

public:
    /// \param device  open for writing; it and the exploration outlive this object
    EventLog(const Exploration& exploration, QIODevice& device, QObject* parent = nullptr);

    /// Why lines are missing, as the system says it; empty while none is.
    const QString& problem() const { return m_problem; }

private:
    void write(const Started& started);
    void write(const DeviceReady& ready);
    void write(const TrialStarted& started);
    void write(const TrialFinished& finished);
    void write(const RecommendationChanged& changed);
    void write(const Finished& finished);
    void write(const QString& event, const QJsonObject& fields);

    const Exploration& m_exploration;
    QIODevice& m_device;
    QString m_problem;
};

} // namespace batchpeak::engine
