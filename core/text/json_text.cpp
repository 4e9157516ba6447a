// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_text.h"

#include "escaped_text.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

/// Characters beyond U+FFFF are escaped in two parts, as JSON requires.
QString escaped(char32_t code)
{
    QString text;
    for (const QChar unit : QString::fromUcs4(&code, 1))
        text += QStringLiteral("\\u%1").arg(unit.unicode(), 4, 16, QLatin1Char('0'));
    return text;
}

} // namespace

QByteArray jsonText(const QJsonObject& object, QJsonDocument::JsonFormat format)
{
    // Such characters occur only in strings, except for line ends, which are kept.
    const QByteArray text = QJsonDocument(object).toJson(format);
    const auto isPlain = [](char byte) { return static_cast<unsigned char>(byte) < 0x7f; };
    return std::ranges::all_of(text, isPlain) ? text
                                              : withUnseenSpelled(QString::fromUtf8(text), escaped).toUtf8();
}

} // namespace batchpeak::engine
