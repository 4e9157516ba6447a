// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "zones_overlay.h"

#include "plot_canvas.h"

#include <QPainter>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr double hatchPixels = 10.0;

QColor faint(QColor colour, int alpha)
{
    colour.setAlpha(alpha);
    return colour;
}

// A pattern brush would be as coarse as the screen's pixels and move with the widget.
void hatch(QPainter& painter, const QRectF& area, const QColor& colour)
{
    painter.save();
    painter.setClipRect(area);
    painter.setPen(QPen(colour, 1.0));
    const int lines = static_cast<int>((area.width() + area.height()) / hatchPixels) + 1;
    for (int line = 0; line < lines; ++line) {
        const double x = area.left() - area.height() + line * hatchPixels;
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x + area.height(), area.top()));
    }
    painter.restore();
}

} // namespace

ZonesOverlay::ZonesOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::UnderSeries) {}

void ZonesOverlay::setZones(double headroomFrom, double wall)
{
    m_headroomFrom = headroomFrom;
    m_wall = wall;
    update();
}

void ZonesOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Theme& theme = canvas().theme();
    const QRectF area = canvas().plotArea();
    const auto edgeOf = [&](double size) {
        return std::clamp(canvas().positionOf(size, 0.0).x(), area.left(), area.right());
    };
    const double wallEdge = m_wall > 0.0 ? edgeOf(m_wall) : area.right();

    if (m_headroomFrom > 0.0) {
        const double edge = edgeOf(m_headroomFrom);
        painter->fillRect(QRectF(edge, area.top(), wallEdge - edge, area.height()),
                          faint(theme.warn, theme.zoneAlpha * 2));
    }
    if (m_wall > 0.0 && wallEdge < area.right()) {
        const QRectF beyond(wallEdge, area.top(), area.right() - wallEdge, area.height());
        painter->fillRect(beyond, faint(theme.bad, theme.zoneAlpha));
        hatch(*painter, beyond, faint(theme.bad, theme.zoneAlpha * 2));
        painter->setPen(QPen(faint(theme.bad, 150), 1.0));
        painter->drawLine(beyond.topLeft(), beyond.bottomLeft());
    }
}

} // namespace batchpeak::ui
