// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "visible_text.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

bool isControl(QChar character)
{
    const char16_t code = character.unicode();
    return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

bool staysAt(const QString& text, qsizetype place)
{
    const QChar character = text.at(place);
    if (character == QLatin1Char('\r'))
        return place + 1 < text.size() && text.at(place + 1) == QLatin1Char('\n');
    return character == QLatin1Char('\t') || character == QLatin1Char('\n');
}

} // namespace

QString visibleText(const QString& text)
{
    if (std::ranges::none_of(text, isControl))
        return text;
    QString visible;
    for (qsizetype place = 0; place < text.size(); ++place) {
        const QChar character = text.at(place);
        if (isControl(character) && !staysAt(text, place))
            visible += QStringLiteral("\\x%1").arg(character.unicode(), 2, 16, QLatin1Char('0'));
        else
            visible += character;
    }
    return visible;
}

QString withIndentedBreaks(QString text)
{
    return text.replace(QLatin1Char('\n'), QLatin1String("\n  "));
}

} // namespace batchpeak::engine
