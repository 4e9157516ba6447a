// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_markers_overlay.h"

#include "plot_canvas.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double runDotPixels = 9.0;
constexpr double glyphPixels = 12.0;
// More large dots would touch, so that they are drawn smaller.
constexpr std::size_t maxLargeDots = 40;
constexpr double smallArm = 2.5;
constexpr double largeArm = 4.5;
constexpr double markLabelGap = 4.0;
// Alpha of the ground of a label: lines stay visible behind it, and do not obscure it.
constexpr int labelGround = 200;

} // namespace

RunMarkersOverlay::RunMarkersOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::OverSeries) {}

void RunMarkersOverlay::setMarkers(std::vector<Point> dots, std::vector<RunPlot::Marker> markers)
{
    m_dots = std::move(dots);
    m_markers = std::move(markers);
    update();
}

void RunMarkersOverlay::setLabels(std::vector<Label> labels)
{
    m_labels = std::move(labels);
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
    const double arm = m_dots.size() > maxLargeDots ? smallArm : largeArm;
    for (const Point& dot : m_dots)
        paintDiamond(*painter, canvas().positionOf(dot.step, dot.value), dot.color, theme.card, arm);
    paintLabels(*painter);
    for (const Point& point : m_hoveredPoints) {
        painter->setPen(QPen(theme.card, 1.5));
        painter->setBrush(point.color);
        painter->drawEllipse(canvas().positionOf(point.step, point.value), runDotPixels / 2.0,
                             runDotPixels / 2.0);
    }
    for (const RunPlot::Marker& marker : m_markers) {
        const QPointF center = canvas().positionOf(static_cast<double>(marker.step), marker.value);
        const QSizeF size(glyphPixels, glyphPixels);
        const QRectF box(center - QPointF(glyphPixels, glyphPixels) / 2.0, size);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.card);
        painter->drawEllipse(box.adjusted(-1, -1, 1, 1));
        paintGlyph(*painter, marker.glyph, box, colorOf(marker.tone, theme));
    }
}

void RunMarkersOverlay::paintLabels(QPainter& painter) const
{
    const QFontMetricsF metrics(labelFont());
    const QRectF area = canvas().plotArea();
    std::vector<std::pair<QRectF, QString>> boxes;
    for (const Label& label : m_labels) {
        const QPointF end = canvas().positionOf(label.step, label.value);
        const double width = metrics.horizontalAdvance(label.text);
        // Above the end, where other lines are rare: a run that continues does so at the same height.
        const double left = std::min(end.x() + markLabelGap, area.right() - width);
        boxes.emplace_back(QRectF(left, end.y() - metrics.height() - markLabelGap, width, metrics.height()),
                           label.text);
    }
    std::ranges::sort(boxes, {}, [](const auto& box) { return box.first.top(); });
    double free = area.top();
    for (auto& [box, text] : boxes) {
        box.moveTop(std::clamp(box.top(), free, std::max(free, area.bottom() - box.height())));
        free = box.bottom();
        painter.fillRect(box.adjusted(-1, 1, 1, -1), withAlpha(canvas().theme().card, labelGround));
        painter.setFont(labelFont());
        painter.setPen(canvas().theme().mutedText);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

} // namespace batchpeak::ui
