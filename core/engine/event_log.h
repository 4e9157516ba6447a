// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration.h"

#include <QIODevice>
#include <QJsonObject>
#include <QJsonValue>
#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <optional>

namespace batchpeak::engine {

/// The schema that the first event of a stream names (docs/events.md).
inline constexpr int eventsSchema = 1;

/// The form that all events have, whatever they tell: JSON Lines, one object a line, each with "event" and
/// "time" (ISO 8601, UTC), numbers as in the C locale whatever the user's, absent values as null.
///
/// It only writes; whoever owns the device opens it and says where it is.
class EventLines
{
public:
    /// \param device  open for writing; it outlives this object
    /// \param onProblem  hears once, at the first line that is missing, why it is, as the system says it
    explicit EventLines(QIODevice& device, std::function<void(const QString&)> onProblem)
        : m_device(device), m_onProblem(std::move(onProblem))
    {}

    /// Writes one event as a line: \p fields, "event" and "time".
    void write(const QString& event, QJsonObject fields);

private:
    QIODevice& m_device;
    /// Nothing once it has been told.
    std::function<void(const QString&)> m_onProblem;
};

/// A count or bytes: exact up to 2^53.
QJsonValue eventNumber(std::int64_t value);
/// A number that may be absent; also null for what is not finite, since JSON knows no NaN.
QJsonValue orNull(const std::optional<double>& value);
QJsonValue orNull(const std::optional<std::int64_t>& value);
/// A text that is null where it is empty.
QJsonValue textOrNull(const QString& text);

/// The label of numbers, as every event has it that tells some: "as_configured", ...
QJsonValue fidelityWord(const config::Fidelity& fidelity);
/// The same of their peaks of memory, which are as configured where reasons are of speed alone.
QJsonValue memoryFidelityWord(const config::Fidelity& fidelity);
/// Both with their reasons, as the first event and a document about a run have it.
void addFidelity(QJsonObject& fields, const config::Fidelity& fidelity);
/// How many parameters there are, and which of them are trained.
void addParameters(QJsonObject& fields, const RunDescription& run);

/// What the event "device" tells.
QJsonObject eventFields(const DeviceSnapshot& device);
/// What "trial_finished" or "comparison_finished" tells of a trial that has ended.
QJsonObject eventFields(const trial::TrialRecord& trial);

/// Writes what happens in an exploration as JSON Lines for other programs. The first object carries
/// "schema": 1.
class EventLog : public QObject
{
    Q_OBJECT

public:
    /// \param device  open for writing; it and the exploration outlive this object
    EventLog(const Exploration& exploration, QIODevice& device, QObject* parent = nullptr);

signals:
    /// Emitted once, at the first line that is missing. \p problem  as the system says it
    void failed(const QString& problem);

private:
    void write(const Started& started);
    void write(const WentOn& wentOn);
    void write(const DeviceReady& ready);
    void write(const Recalled& recalled);
    void write(const TrialStarted& started);
    void write(const TrialFinished& finished);
    void write(const RecommendationChanged& changed);
    void write(const Commanded& commanded);
    void write(const Finished& finished);

    const Exploration& m_exploration;
    EventLines m_lines;
};

} // namespace batchpeak::engine
