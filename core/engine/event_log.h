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

/// Version of the schema, which the first event of a stream names (docs/events.md).
inline constexpr int eventsSchema = 1;

/// Writes events in the form that all of them have: JSON Lines, one object per line, each with "event" and
/// "time" (ISO 8601, UTC). Numbers are written as in the C locale, whatever the user's locale; absent values
/// are null.
///
/// This class only writes. The owner of the device opens it and says where it is.
class EventLines
{
public:
    /// \param device  open for writing; must outlive this object
    /// \param onProblem  called once, at the first line that could not be written, with the system's reason
    explicit EventLines(QIODevice& device, std::function<void(const QString&)> onProblem)
        : m_device(device), m_onProblem(std::move(onProblem))
    {}

    /// Writes one event as a line that contains \p fields, "event" and "time".
    void write(const QString& event, QJsonObject fields);

private:
    QIODevice& m_device;
    /// Empty once it has been called.
    std::function<void(const QString&)> m_onProblem;
};

/// Returns a count or a number of bytes as JSON, which is exact up to 2^53.
QJsonValue eventNumber(std::int64_t value);
/// Returns the number, or null if it is absent or not finite, since JSON has no NaN.
QJsonValue orNull(const std::optional<double>& value);
QJsonValue orNull(const std::optional<std::int64_t>& value);
/// Returns the text, or null if it is empty.
QJsonValue textOrNull(const QString& text);

/// Returns the fidelity label that every event with numbers has: "as_configured", ...
QJsonValue fidelityWord(const config::Fidelity& fidelity);
/// Returns the label of the peaks of memory, which is "as_configured" if all reasons concern speed alone.
QJsonValue memoryFidelityWord(const config::Fidelity& fidelity);
/// Adds both labels with their reasons, as the first event and a document about a run contain them.
void addFidelity(QJsonObject& fields, const config::Fidelity& fidelity);
/// Adds the number of parameters, and which of them are trained.
void addParameters(QJsonObject& fields, const RunDescription& run);

/// Returns the fields of the event "device".
QJsonObject eventFields(const DeviceSnapshot& device);
/// Returns the fields of "trial_finished" or "comparison_finished" for a trial that has ended.
QJsonObject eventFields(const trial::TrialRecord& trial);

/// Writes the events of an exploration as JSON Lines for other programs. The first object contains "schema":
/// 1.
class EventLog : public QObject
{
    Q_OBJECT

public:
    /// \param device  open for writing; it and the exploration must outlive this object
    EventLog(const Exploration& exploration, QIODevice& device, QObject* parent = nullptr);

signals:
    /// Emitted once, at the first line that could not be written. \p problem  the system's reason
    void failed(const QString& problem);

private:
    void write(const Started& started);
    void write(const Recorded& recorded);
    void write(const WentOn& wentOn);
    void write(const DeviceReady& ready);
    void write(const ConnectionChanged& changed);
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
