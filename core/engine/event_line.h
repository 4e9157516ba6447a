// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QIODevice>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>

#include <cstdint>
#include <optional>
#include <string_view>

namespace batchpeak::engine {

/// The form that all events have (docs/events.md), whatever they tell.

/// Of the first event.
inline constexpr int eventsSchema = 1;

/// Writes one event as a line: \p fields, "event" and "time".
/// \return why it could not be written whole, as the system says it; else empty
QString writeEvent(QIODevice& device, const QString& event, QJsonObject fields);

/// A count or bytes: exact up to 2^53.
QJsonValue eventNumber(std::int64_t value);
/// Also for what is not finite: JSON knows no NaN.
QJsonValue orNull(const std::optional<double>& value);
QJsonValue orNull(const std::optional<std::int64_t>& value);

QString eventWord(std::string_view text);
/// What the event "device" tells.
QJsonObject eventFields(const DeviceSnapshot& device);

} // namespace batchpeak::engine
