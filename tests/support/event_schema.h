// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

namespace batchpeak::test {

/// Returns the fields of an event, including "event" and "time", in alphabetical order, as the tables of
/// docs/events.md promise them to other programs. Empty for an event that is not listed.
inline QStringList fieldsOfEvent(const QString& event)
{
    static const QMap<QString, QStringList> fields = [] {
        static const QRegularExpression row(QStringLiteral("^\\| `(\\w+)` \\|(.*) \\|$"));
        static const QRegularExpression remark(QStringLiteral("\\([^)]*\\)"));
        static const QRegularExpression field(QStringLiteral("`(\\w+)`"));
        QMap<QString, QStringList> table;
        QFile document(QStringLiteral(BATCHPEAK_SOURCE_DIR "/docs/events.md"));
        if (!document.open(QIODevice::ReadOnly))
            return table;
        for (const QString& line : QString::fromUtf8(document.readAll()).split(QLatin1Char('\n'))) {
            const QRegularExpressionMatch found = row.match(line);
            const QString name = found.captured(1);
            // A later row of an event says "as above" instead of listing the fields again.
            if (!found.hasMatch() || table.contains(name))
                continue;
            QStringList& names = table[name] = {QStringLiteral("event"), QStringLiteral("time")};
            auto each = field.globalMatch(found.captured(2).remove(remark));
            while (each.hasNext())
                names.append(each.next().captured(1));
            names.sort();
        }
        return table;
    }();
    return fields.value(event);
}

} // namespace batchpeak::test
