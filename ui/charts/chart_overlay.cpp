// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_overlay.h"

#include "plot_canvas.h"

#include <QPainter>
#include <QtCharts/QChart>

#include <cmath>

namespace batchpeak::ui {

namespace {

// Qt Charts (6.4.2) draws its grid at z value 2, its axes at 3 and its series at 4, and does not document
// that.
double heightOf(ChartOverlay::Layer layer)
{
    switch (layer) {
    case ChartOverlay::Layer::UnderSeries:
        return 3.5;
    case ChartOverlay::Layer::OverSeries:
        return 20.0;
    case ChartOverlay::Layer::OverAll:
        break;
    }
    return 30.0;
}

} // namespace

ChartOverlay::ChartOverlay(PlotCanvas* canvas, Layer layer)
    : QGraphicsObject(canvas->chart()), m_canvas(canvas), m_bounds(canvas->chartRect())
{
    setZValue(heightOf(layer));
    setAcceptedMouseButtons(Qt::NoButton);
    connect(canvas, &PlotCanvas::geometryChanged, this, [this] {
        prepareGeometryChange();
        m_bounds = m_canvas->chartRect();
        update();
    });
}

void paintDiamond(QPainter& painter, const QPointF& center, const QColor& color, const QColor& ground,
                  double arm)
{
    painter.setPen(QPen(color, 1.6));
    painter.setBrush(ground);
    painter.drawPolygon(QPolygonF{center + QPointF(0, -arm), center + QPointF(arm, 0),
                                  center + QPointF(0, arm), center + QPointF(-arm, 0)});
}

double crisp(double x)
{
    return std::floor(x) + 0.5;
}

QRectF ChartOverlay::boundingRect() const
{
    return m_bounds;
}

QFont ChartOverlay::labelFont() const
{
    return scaled(m_canvas->font(), 0.95, QFont::DemiBold);
}

void ChartOverlay::paintVertical(QPainter& painter, double place, const QPen& pen) const
{
    if (!m_canvas->isInRange(place))
        return;
    const QRectF area = m_canvas->plotArea();
    const double x = crisp(m_canvas->positionOf(place, m_canvas->topValue()).x());
    painter.setPen(pen);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
}

void ChartOverlay::paintInTheMiddle(QPainter& painter, const QString& text) const
{
    painter.setPen(m_canvas->theme().mutedText);
    painter.setFont(m_canvas->font());
    painter.drawText(m_canvas->plotArea(), Qt::AlignCenter, text);
}

} // namespace batchpeak::ui
