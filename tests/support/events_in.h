// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QString>

namespace batchpeak::test {

/// The events of a log, one a line.
inline QList<QJsonObject> eventsIn(const QByteArray& lines)
{
    QList<QJsonObject> events;
    for (const QByteArray& line : lines.trimmed().split('\n'))
        events.append(QJsonDocument::fromJson(line).object());
    return events;
}

/// Of an object, the values of these keys as text: {"attempts":2,"loss":null}. Those that it lacks are left
/// out.
///
/// \param keys  with spaces between them
inline QByteArray valuesOf(const QJsonObject& object, const char* keys)
{
    QJsonObject chosen;
    for (const QString& key : QString::fromUtf8(keys).split(QLatin1Char(' '))) {
        if (object.contains(key))
            chosen.insert(key, object.value(key));
    }
    return QJsonDocument(chosen).toJson(QJsonDocument::Compact);
}

} // namespace batchpeak::test
