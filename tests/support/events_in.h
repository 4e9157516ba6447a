// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QString>

namespace batchpeak::test {

/// Returns the events of a log with one event per line.
inline QList<QJsonObject> eventsIn(const QByteArray& lines)
{
    QList<QJsonObject> events;
    for (const QByteArray& line : lines.trimmed().split('\n'))
        events.append(QJsonDocument::fromJson(line).object());
    return events;
}

/// Returns the values of these keys of an object as text: {"attempts":2,"loss":null}. Keys that the object
/// lacks are left out.
///
/// \param keys  keys separated by spaces
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
