// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "event_line.h"

#include <QDateTime>
#include <QFileDevice>
#include <QJsonDocument>

#include <cmath>

namespace batchpeak::engine {

QString writeEvent(QIODevice& device, const QString& event, QJsonObject fields)
{
    fields.insert(QStringLiteral("event"), event);
    fields.insert(QStringLiteral("time"), QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs));
    const QByteArray line = QJsonDocument(fields).toJson(QJsonDocument::Compact) + '\n';
    const QString problem = device.write(line) == line.size() ? QString() : device.errorString();
    // A reader at the other end of a pipe wants each line as it comes.
    if (auto* file = qobject_cast<QFileDevice*>(&device))
        file->flush();
    return problem;
}

QJsonValue eventNumber(std::int64_t value)
{
    return {static_cast<qint64>(value)};
}

QJsonValue orNull(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? QJsonValue(*value) : QJsonValue();
}

QJsonValue orNull(const std::optional<std::int64_t>& value)
{
    return value ? eventNumber(*value) : QJsonValue();
}

QString eventWord(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QJsonObject eventFields(const DeviceSnapshot& device)
{
    return {{QStringLiteral("id"), device.id},
            {QStringLiteral("kind"), device.kind},
            {QStringLiteral("name"), device.name},
            {QStringLiteral("total_bytes"), eventNumber(device.totalBytes)},
            {QStringLiteral("held_by_others_bytes"), eventNumber(device.heldByOthersBytes)},
            {QStringLiteral("limit_bytes"), eventNumber(device.limitBytes)}};
}

} // namespace batchpeak::engine
