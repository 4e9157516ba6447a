// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_key.h"

#include "chart_scales.h"

#include <QPainter>

#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double signWidth = 18.0;
constexpr double wordGap = 5.0;
constexpr double entryGap = 14.0;

QColor faint(QColor colour, int alpha)
{
    colour.setAlpha(alpha);
    return colour;
}

} // namespace

ChartKey::ChartKey(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Key of the charts"));
}

void ChartKey::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void ChartKey::setScene(const ChartScene& scene)
{
    std::vector<Entry> entries;
    if (!scene.points.empty())
        entries.push_back({Sign::Measured, tr("measured"), tr("measured")});
    if (!scene.curve.empty()) {
        entries.push_back({Sign::Model, tr("model"), tr("model")});
        entries.push_back({Sign::Band, tr("5–95 % band"), tr("5–95 %")});
    }
    if (!scene.running.empty())
        entries.push_back({Sign::Running, tr("running"), tr("running")});
    if (scene.headroomFrom > 0.0 && scene.headroomFrom < sizeRangeOf(scene).maximum)
        entries.push_back({Sign::Headroom, tr("headroom"), tr("headroom")});
    if (!scene.outOfMemory.empty())
        entries.push_back({Sign::OutOfMemory, tr("out of memory"), tr("OOM")});
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

double ChartKey::widthOf(const std::vector<Entry>& entries, bool shortWords) const
{
    const QFontMetricsF metrics(font());
    double width = 0.0;
    for (const auto& entry : entries)
        width += signWidth + wordGap + entryGap +
                 metrics.horizontalAdvance(shortWords ? entry.shortWord : entry.word);
    return std::max(0.0, width - entryGap);
}

QSize ChartKey::sizeHint() const
{
    return {static_cast<int>(std::ceil(widthOf(m_entries, false))) + 2, fontMetrics().height() + 2};
}

QSize ChartKey::minimumSizeHint() const
{
    return {60, fontMetrics().height() + 2};
}

void ChartKey::paintEvent(QPaintEvent*)
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
        paintSign(painter, entry.sign, QRectF(x, 0, signWidth, height()));
        x += signWidth + wordGap;
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(x, 0, metrics.horizontalAdvance(word) + 2.0, height()), Qt::AlignVCenter,
                         word);
        x += metrics.horizontalAdvance(word) + entryGap;
    }
}

void ChartKey::paintSign(QPainter& painter, Sign sign, const QRectF& box) const
{
    const QPointF centre = box.center();
    painter.setBrush(Qt::NoBrush);
    switch (sign) {
    case Sign::Measured:
        painter.setPen(QPen(m_theme.throughput, 1.6));
        painter.drawLine(centre - QPointF(0, 7), centre + QPointF(0, 7));
        painter.setPen(QPen(m_theme.throughput, 2.0));
        painter.setBrush(m_theme.card);
        painter.drawEllipse(centre, 4.0, 4.0);
        break;
    case Sign::Model:
        painter.setPen(QPen(m_theme.throughput, 2.0));
        painter.drawLine(QPointF(box.left(), centre.y()), QPointF(box.right(), centre.y()));
        break;
    case Sign::Band:
        painter.setPen(Qt::NoPen);
        painter.setBrush(faint(m_theme.throughput, m_theme.bandAlpha + 10));
        painter.drawRoundedRect(QRectF(centre - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Sign::Headroom:
        painter.setPen(Qt::NoPen);
        painter.setBrush(faint(m_theme.warn, m_theme.zoneAlpha * 3));
        painter.drawRoundedRect(QRectF(centre - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Sign::Running:
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.warn);
        painter.drawPolygon(
            QPolygonF{centre + QPointF(-6, -4), centre + QPointF(6, -4), centre + QPointF(0, 4)});
        break;
    case Sign::OutOfMemory:
        painter.setPen(QPen(m_theme.bad, 2.0, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(centre - QPointF(4, 4), centre + QPointF(4, 4));
        painter.drawLine(centre - QPointF(4, -4), centre + QPointF(4, -4));
        break;
    }
}

} // namespace batchpeak::ui
