// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "event_line.h"

#include <QDateTime>
#include <QFileDevice>
#include <QJsonDocument>

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
    return value ? QJsonValue(*value) : QJsonValue();
}

QJsonValue orNull(const std::optional<std::int64_t>& value)
{
    return value ? eventNumber(*value) : QJsonValue();
}

} // namespace batchpeak::engine
