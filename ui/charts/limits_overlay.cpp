// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "limits_overlay.h"

#include "plot_canvas.h"
#include "text/readable_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double hatchPixels = 10.0;

// Hatches an area. A pattern brush would be as coarse as the screen's pixels and move with the widget.
void hatch(QPainter& painter, const QRectF& area, const QColor& color)
{
    painter.save();
    painter.setClipRect(area);
    painter.setPen(QPen(color, 1.0));
    const int lines = static_cast<int>((area.width() + area.height()) / hatchPixels) + 1;
    for (int line = 0; line < lines; ++line) {
        const double x = area.left() - area.height() + line * hatchPixels;
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x + area.height(), area.top()));
    }
    painter.restore();
}

} // namespace

ZonesOverlay::ZonesOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::UnderSeries) {}

void ZonesOverlay::setZones(const engine::MemoryZones& zones)
{
    if (zones == m_zones)
        return;
    m_zones = zones;
    update();
}

void ZonesOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Theme& theme = canvas().theme();
    const QRectF area = canvas().plotArea();
    const auto edgeOf = [&](double size) {
        return std::clamp(canvas().positionOf(size, 0.0).x(), area.left(), area.right());
    };
    const double wallEdge = m_zones.wall > 0.0 ? edgeOf(m_zones.wall) : area.right();

    if (m_zones.headroomFrom > 0.0) {
        const double edge = edgeOf(m_zones.headroomFrom);
        painter->fillRect(QRectF(edge, area.top(), wallEdge - edge, area.height()),
                          withAlpha(theme.warn, theme.zoneAlpha * 2));
    }
    if (m_zones.wall > 0.0 && wallEdge < area.right()) {
        const QRectF beyond(wallEdge, area.top(), area.right() - wallEdge, area.height());
        painter->fillRect(beyond, withAlpha(theme.bad, theme.zoneAlpha));
        hatch(*painter, beyond, withAlpha(theme.bad, theme.zoneAlpha * 2));
        if (!canvas().isInRange(m_zones.wall))
            return;
        painter->setPen(QPen(withAlpha(theme.bad, 150), 1.0));
        painter->drawLine(beyond.topLeft(), beyond.bottomLeft());
    }
}

LimitsOverlay::LimitsOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::UnderSeries) {}

void LimitsOverlay::setScene(std::shared_ptr<const ChartScene> scene)
{
    m_scene = std::move(scene);
    update();
}

std::vector<QRectF> LimitsOverlay::obstacles() const
{
    std::vector<QRectF> boxes;
    const auto keepOff = [&](std::int64_t size, double bytes) {
        const QPointF center = canvas().positionOf(static_cast<double>(size), m_scene->unit.of(bytes));
        boxes.emplace_back(center - QPointF(8, 8), QSizeF(16, 16));
    };
    for (const auto& point : m_scene->points)
        keepOff(point.size, point.peakBytes);
    for (const std::int64_t size : m_scene->outOfMemory)
        keepOff(size, m_scene->limitBytes);
    if (m_scene->lead) {
        const double x = canvas().positionOf(static_cast<double>(m_scene->lead->size), 0.0).x();
        const QRectF area = canvas().plotArea();
        boxes.emplace_back(x - 4.0, area.top(), 8.0, area.height());
    }
    return boxes;
}

void LimitsOverlay::drawLabel(QPainter& painter, const QString& text, const QColor& color, double y,
                              bool above) const
{
    const QRectF area = canvas().plotArea();
    const QFontMetricsF metrics(painter.font());
    const QSizeF size(metrics.horizontalAdvance(text) + 4.0, metrics.height());
    const double top = above ? y - size.height() - 1.0 : y + 2.0;
    const auto taken = obstacles();
    const auto isFree = [&](const QRectF& box) {
        return std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(box); });
    };
    QRectF box(QPointF(area.left() + 10.0, top), size);
    for (const double share : {0.25, 0.5, 0.75}) {
        if (isFree(box))
            break;
        box.moveLeft(area.left() + share * (area.width() - size.width()));
    }
    // Keeps the grid from crossing the label.
    painter.fillRect(box.adjusted(-2.0, 1.0, 0.0, -1.0), canvas().theme().card);
    painter.setPen(color);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
}

void LimitsOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    if (!m_scene || m_scene->limitBytes <= 0.0)
        return;
    const Theme& theme = canvas().theme();
    const QRectF area = canvas().plotArea();
    painter->setFont(labelFont());

    const double limit = m_scene->unit.of(m_scene->limitBytes);
    const double usable = m_scene->unit.of(m_scene->usableBytes);
    const QString limitText = tr("device limit %1").arg(engine::memoryText(m_scene->limitBytes));
    const auto isShown = [&](double value) {
        return value >= canvas().bottomValue() && value <= canvas().topValue();
    };
    if (limit > canvas().wholeValues().maximum) {
        drawLabel(*painter, tr("%1, far above").arg(limitText), theme.bad, area.top() + 1.0, false);
        return;
    }
    const auto line = [&](double value, const QColor& color, double width, Qt::PenStyle style) {
        const double y = std::round(canvas().positionOf(canvas().axisRange().maximum, value).y()) + 0.5;
        painter->setPen(QPen(color, width, style, Qt::FlatCap));
        painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        return y;
    };
    if (usable > 0.0 && usable < limit && isShown(usable)) {
        const double y = line(usable, theme.warn, 1.2, Qt::DashLine);
        drawLabel(*painter, tr("headroom %1 %").arg(QLocale().toString(m_scene->headroom * 100.0, 'g', 3)),
                  theme.warn, y, false);
    }
    if (!isShown(limit))
        return;
    const double y = line(limit, theme.bad, 1.4, Qt::SolidLine);
    drawLabel(*painter, limitText, theme.bad, y, true);
}

} // namespace batchpeak::ui
