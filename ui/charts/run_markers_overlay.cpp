// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_markers_overlay.h"

#include "plot_canvas.h"

#include <QPainter>

#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double dotPixels = 9.0;
constexpr double glyphPixels = 12.0;
// More dots than that would touch, so that they are drawn smaller.
constexpr std::size_t mostLargeDots = 40;
constexpr double smallArm = 2.5;
constexpr double largeArm = 4.5;

} // namespace

RunMarkersOverlay::RunMarkersOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::OverSeries) {}

void RunMarkersOverlay::setMarkers(std::vector<Point> dots, std::vector<RunPlot::Marker> markers)
{
    m_dots = std::move(dots);
    m_markers = std::move(markers);
    update();
}

void RunMarkersOverlay::setHovered(std::optional<double> step, std::vector<Point> points)
{
    m_hoveredStep = step;
    m_hoveredPoints = std::move(points);
    update();
}

void RunMarkersOverlay::setEmptyText(const QString& text)
{
    m_emptyText = text;
    update();
}

void RunMarkersOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Theme& theme = canvas().theme();
    painter->setRenderHint(QPainter::Antialiasing);
    paintInTheMiddle(*painter, m_emptyText);
    if (m_hoveredStep)
        paintVertical(*painter, *m_hoveredStep, QPen(theme.mutedText, 1.0));
    const double arm = m_dots.size() > mostLargeDots ? smallArm : largeArm;
    for (const Point& dot : m_dots)
        paintDiamond(*painter, canvas().positionOf(dot.step, dot.value), dot.colour, theme.card, arm);
    for (const Point& point : m_hoveredPoints) {
        painter->setPen(QPen(theme.card, 1.5));
        painter->setBrush(point.colour);
        painter->drawEllipse(canvas().positionOf(point.step, point.value), dotPixels / 2.0, dotPixels / 2.0);
    }
    for (const RunPlot::Marker& marker : m_markers) {
        const QPointF centre = canvas().positionOf(static_cast<double>(marker.step), marker.value);
        const QSizeF size(glyphPixels, glyphPixels);
        const QRectF box(centre - QPointF(glyphPixels, glyphPixels) / 2.0, size);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.card);
        painter->drawEllipse(box.adjusted(-1, -1, 1, 1));
        paintGlyph(*painter, marker.glyph, box, colourOf(marker.tone, theme));
    }
}

} // namespace batchpeak::ui
