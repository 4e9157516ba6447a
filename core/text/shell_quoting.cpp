// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_quoting.h"

#include <QRegularExpression>

namespace batchpeak::engine {

QString quotedForShell(const QString& word)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:@%+=,-]+$"));
    return plain.match(word).hasMatch() ? word : QString::fromStdString(inSingleQuotes(word.toStdString()));
}

QString quotedForShell(const QStringList& words)
{
    QStringList quoted;
    for (const QString& word : words)
        quoted << quotedForShell(word);
    return quoted.join(QLatin1Char(' '));
}

std::string inSingleQuotes(const std::string& text)
{
    std::string quoted = "'";
    for (const char byte : text)
        quoted += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
    return quoted + "'";
}

} // namespace batchpeak::engine
