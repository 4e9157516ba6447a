// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "styled_text.h"

#include "text/escaped_text.h"

#include <algorithm>

namespace batchpeak::cli {

namespace {

// Uses the eight colors that every terminal has; its user has chosen them to be legible.
QString renditionOf(Style style)
{
    switch (style) {
    case Style::Strong:
        return QStringLiteral("1");
    case Style::Muted:
        return QStringLiteral("2");
    case Style::Accent:
        return QStringLiteral("36");
    case Style::Good:
        return QStringLiteral("32");
    case Style::Warning:
        return QStringLiteral("33");
    case Style::Bad:
        return QStringLiteral("31");
    case Style::Plain:
        break;
    }
    return {};
}

} // namespace

void StyledText::append(const QString& text, Style style)
{
    if (!text.isEmpty())
        m_parts.push_back({.text = engine::escapeControls(text), .style = style});
}

void StyledText::append(const StyledText& text)
{
    m_parts.insert(m_parts.end(), text.m_parts.begin(), text.m_parts.end());
}

qsizetype StyledText::columns() const
{
    qsizetype columns = 0;
    for (const Part& part : m_parts)
        columns += part.text.size();
    return columns;
}

StyledText StyledText::left(qsizetype columns) const
{
    StyledText cut;
    for (const Part& part : m_parts) {
        cut.append(part.text.left(columns), part.style);
        columns = std::max<qsizetype>(columns - part.text.size(), 0);
    }
    return cut;
}

QString StyledText::plain() const
{
    QString text;
    for (const Part& part : m_parts)
        text += part.text;
    return text;
}

QString StyledText::colored() const
{
    QString text;
    for (const Part& part : m_parts) {
        const QString rendition = renditionOf(part.style);
        text +=
            rendition.isEmpty() ? part.text : QStringLiteral("\033[%1m%2\033[0m").arg(rendition, part.text);
    }
    return text;
}

} // namespace batchpeak::cli
