// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_line.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double signWidth = 18.0;
constexpr double wordGap = 5.0;
constexpr double entryGap = 14.0;

} // namespace

KeyLine::KeyLine(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void KeyLine::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void KeyLine::setEntries(std::vector<Entry> entries)
{
    if (entries == m_entries)
        return;
    m_entries = std::move(entries);
    QStringList words;
    for (const auto& entry : m_entries)
        words << entry.word;
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

double KeyLine::widthOf(const std::vector<Entry>& entries, bool shortWords) const
{
    const QFontMetricsF metrics(font());
    double width = 0.0;
    for (const auto& entry : entries)
        width += signWidth + wordGap + entryGap +
                 metrics.horizontalAdvance(shortWords ? entry.shortWord : entry.word);
    return std::max(0.0, width - entryGap);
}

QSize KeyLine::sizeHint() const
{
    return {static_cast<int>(std::ceil(widthOf(m_entries, false))) + 2, fontMetrics().height() + 2};
}

QSize KeyLine::minimumSizeHint() const
{
    return {60, fontMetrics().height() + 2};
}

void KeyLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    std::vector<Entry> shown = m_entries;
    const bool shortWords = widthOf(shown, false) > width();
    while (!shown.empty() && widthOf(shown, shortWords) > width())
        shown.pop_back();
    const QFontMetricsF metrics(font());
    double x = width() - widthOf(shown, shortWords);
    for (const auto& entry : shown) {
        const QString& word = shortWords ? entry.shortWord : entry.word;
        painter.setBrush(Qt::NoBrush);
        paintSign(painter, entry.sign, QRectF(x, 0, signWidth, height()));
        x += signWidth + wordGap;
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(x, 0, metrics.horizontalAdvance(word) + 2.0, height()), Qt::AlignVCenter,
                         word);
        x += metrics.horizontalAdvance(word) + entryGap;
    }
}

} // namespace batchpeak::ui
