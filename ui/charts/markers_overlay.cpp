// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "markers_overlay.h"

#include "plot_canvas.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double ringPixels = 9.0;
constexpr double diamondArm = 5.0;
constexpr int opaque = 255;
constexpr int supersededAlpha = 110;
constexpr double dotPixels = 13.0;
constexpr double capPixels = 4.0;
constexpr double tickWidth = 3.0;
// A shorter interval would only be a smudge on its ring.
constexpr double shortestBarPixels = 6.0;
constexpr double crossAboveAxisPixels = 12.0;
constexpr double selectedGroundPixels = 15.0;
constexpr int selectedGroundAlpha = 24;
constexpr double haloPixels = 18.0;
// Odd, so that its center is the center of a pixel.
constexpr double stampPixels = 15.0;

} // namespace

MarkersOverlay::MarkersOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::OverSeries) {}

void MarkersOverlay::setMarkers(Markers markers)
{
    if (markers == m_markers)
        return;
    m_markers = std::move(markers);
    update();
}

void MarkersOverlay::setSelectedSize(std::optional<double> size)
{
    if (m_selectedSize == size)
        return;
    m_selectedSize = size;
    update();
}

void MarkersOverlay::setHoveredSize(std::optional<double> size)
{
    if (m_hoveredSize == size)
        return;
    m_hoveredSize = size;
    update();
}

void MarkersOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    painter->setRenderHint(QPainter::Antialiasing);
    if (m_markers.rings.empty())
        paintInTheMiddle(*painter, m_markers.emptyText);
    paintSelectedGround(*painter);
    paintLines(*painter);
    paintIntervals(*painter);
    paintReckoned(*painter);
    paintJoints(*painter);
    paintRings(*painter);
    paintCrosses(*painter);
    paintLead(*painter);
    paintHalo(*painter);
    paintRunning(*painter);
    paintLabels(*painter);
}

QPointF MarkersOverlay::centerOf(const Ring& ring) const
{
    const QPointF center = canvas().positionOf(ring.size, ring.value);
    return {crisp(center.x()) + ring.shift, center.y()};
}

void MarkersOverlay::paintSelectedGround(QPainter& painter) const
{
    if (!m_selectedSize || !canvas().isInRange(*m_selectedSize))
        return;
    const QRectF area = canvas().plotArea();
    const double x = crisp(canvas().positionOf(*m_selectedSize, canvas().topValue()).x());
    painter.fillRect(QRectF(x - selectedGroundPixels / 2.0, area.top(), selectedGroundPixels, area.height()),
                     withAlpha(canvas().theme().text, selectedGroundAlpha));
}

void MarkersOverlay::paintHalo(QPainter& painter) const
{
    if (!m_selectedSize)
        return;
    for (const auto& ring : m_markers.rings) {
        if (ring.size != *m_selectedSize || ring.superseded || !canvas().shows(ring.size, ring.value))
            continue;
        painter.setPen(QPen(canvas().theme().text, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(centerOf(ring), haloPixels / 2.0, haloPixels / 2.0);
    }
}

void MarkersOverlay::paintLines(QPainter& painter) const
{
    if (m_hoveredSize)
        paintVertical(painter, *m_hoveredSize, QPen(canvas().theme().mutedText, 1.0));
    if (m_markers.lead)
        paintVertical(painter, m_markers.lead->size,
                      QPen(m_markers.lead->color, 1.4, Qt::DashLine, Qt::FlatCap));
}

void MarkersOverlay::paintInterval(QPainter& painter, const Reckoned& interval, double x) const
{
    const QRectF area = canvas().plotArea();
    const double top = canvas().positionOf(interval.size, interval.value + interval.half).y();
    const double bottom = canvas().positionOf(interval.size, interval.value - interval.half).y();
    if (interval.half <= 0.0 || bottom - top < shortestBarPixels || top > area.bottom() ||
        bottom < area.top())
        return;
    painter.setPen(QPen(interval.color, 1.6, Qt::SolidLine, Qt::FlatCap));
    // A cap marks the end of the interval, so that there is none where the interval leaves the plot.
    painter.drawLine(QPointF(x, std::max(top, area.top())), QPointF(x, std::min(bottom, area.bottom())));
    for (const double end : {top, bottom}) {
        if (end >= area.top() && end <= area.bottom())
            painter.drawLine(QPointF(x - capPixels, end), QPointF(x + capPixels, end));
    }
}

QColor MarkersOverlay::colorAt(double size, const QColor& color) const
{
    return m_markers.lead && m_markers.lead->size == size ? m_markers.lead->color : color;
}

void MarkersOverlay::paintIntervals(QPainter& painter) const
{
    for (const auto& ring : m_markers.rings) {
        if (!ring.superseded && canvas().isInRange(ring.size))
            paintInterval(painter, {ring.size, ring.value, ring.half, colorAt(ring.size, ring.color)},
                          centerOf(ring).x());
    }
}

void MarkersOverlay::paintReckoned(QPainter& painter) const
{
    for (const auto& reckoned : m_markers.reckoned) {
        if (!canvas().isInRange(reckoned.size))
            continue;
        Reckoned shown = reckoned;
        shown.color = colorAt(reckoned.size, reckoned.color);
        const QPointF center = canvas().positionOf(reckoned.size, reckoned.value);
        const double x = crisp(center.x());
        paintInterval(painter, shown, x);
        if (!canvas().shows(reckoned.size, reckoned.value))
            continue;
        // A ring of a trial with the same value covers it.
        painter.setPen(QPen(shown.color, tickWidth, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QPointF(x - capPixels, center.y()), QPointF(x + capPixels, center.y()));
    }
}

void MarkersOverlay::paintJoints(QPainter& painter) const
{
    painter.save();
    painter.setClipRect(canvas().plotArea());
    for (const Joint& joint : m_markers.joints) {
        QPolygonF line;
        for (const QPointF& point : joint.points) {
            const QPointF center = canvas().positionOf(point.x(), point.y());
            line.append({crisp(center.x()) + joint.shift, center.y()});
        }
        painter.setPen(QPen(withAlpha(canvas().theme().text, joint.superseded ? supersededAlpha : opaque),
                            joint.superseded ? 1.0 : 1.6));
        painter.drawPolyline(line);
    }
    painter.restore();
}

namespace {

void paintRing(QPainter& painter, const QPointF& center, MarkersOverlay::Ring::Shape shape,
               const QColor& color, const QColor& ground, double larger)
{
    if (shape == MarkersOverlay::Ring::Shape::Diamond) {
        paintDiamond(painter, center, color, ground, diamondArm + larger);
        return;
    }
    painter.setPen(QPen(color, 2.0));
    painter.setBrush(ground);
    const double radius = ringPixels / 2.0 + larger;
    painter.drawEllipse(center, radius, radius);
}

} // namespace

const QPixmap& MarkersOverlay::stampOf(Ring::Shape shape, const QColor& color, double pixelRatio) const
{
    const QColor& ground = canvas().theme().card;
    const auto [found, isNew] =
        m_stamps.try_emplace({static_cast<int>(shape), color.rgba(), ground.rgba(), pixelRatio});
    QPixmap& stamp = found->second;
    if (isNew) {
        const int pixels = static_cast<int>(std::ceil(stampPixels * pixelRatio));
        stamp = QPixmap(pixels, pixels);
        stamp.setDevicePixelRatio(pixelRatio);
        stamp.fill(Qt::transparent);
        QPainter painter(&stamp);
        painter.setRenderHint(QPainter::Antialiasing);
        paintRing(painter, {stampPixels / 2.0, stampPixels / 2.0}, shape, color, ground, 0.0);
    }
    return stamp;
}

void MarkersOverlay::paintRings(QPainter& painter) const
{
    const double pixelRatio = painter.device()->devicePixelRatioF();
    for (const auto& ring : m_markers.rings) {
        if (!canvas().shows(ring.size, ring.value))
            continue;
        const QPointF center = centerOf(ring);
        const QColor color = withAlpha(ring.color, ring.superseded ? supersededAlpha : opaque);
        if (m_hoveredSize == ring.size && !ring.superseded) {
            paintRing(painter, center, ring.shape, color, ring.color, 1.0);
            continue;
        }
        // Between pixels the image would be blurred.
        const QPointF corner(center.x() - stampPixels / 2.0, crisp(center.y()) - stampPixels / 2.0);
        painter.drawPixmap(corner, stampOf(ring.shape, color, pixelRatio));
    }
}

void MarkersOverlay::paintCrosses(QPainter& painter) const
{
    const QRectF area = canvas().plotArea();
    for (const auto& cross : m_markers.crosses) {
        if (!canvas().isInRange(cross.size))
            continue;
        QPointF center = canvas().positionOf(cross.size, m_markers.crossValue.value_or(0.0));
        if (!m_markers.crossValue)
            center.setY(area.bottom() - crossAboveAxisPixels);
        const double highest = area.top() + crossAboveAxisPixels;
        center.setY(std::clamp(center.y(), highest, std::max(highest, area.bottom())));
        painter.setPen(QPen(cross.color, 2.0, Qt::SolidLine, Qt::RoundCap));
        const double arm = 4.5;
        painter.drawLine(center - QPointF(arm, arm), center + QPointF(arm, arm));
        painter.drawLine(center - QPointF(arm, -arm), center + QPointF(arm, -arm));
    }
}

void MarkersOverlay::paintLead(QPainter& painter) const
{
    if (!m_markers.lead || !canvas().shows(m_markers.lead->size, m_markers.lead->value))
        return;
    QPointF center = canvas().positionOf(m_markers.lead->size, m_markers.lead->value);
    center.setX(crisp(center.x()));
    painter.setPen(QPen(canvas().theme().card, 2.0));
    painter.setBrush(m_markers.lead->color);
    painter.drawEllipse(center, dotPixels / 2.0, dotPixels / 2.0);
}

void MarkersOverlay::paintRunning(QPainter& painter) const
{
    const QRectF area = canvas().plotArea();
    painter.setPen(Qt::NoPen);
    painter.setBrush(canvas().theme().warn);
    for (const double size : m_markers.running) {
        if (!canvas().isInRange(size))
            continue;
        const QPointF tip(canvas().positionOf(size, 0.0).x(), area.top() - 1.0);
        painter.drawPolygon(QPolygonF{tip, tip + QPointF(-6.0, -8.0), tip + QPointF(6.0, -8.0)});
    }
}

std::vector<MarkersOverlay::Label> MarkersOverlay::labels() const
{
    const QFontMetricsF metrics(labelFont());
    const QRectF area = canvas().plotArea();
    const double gap = 8.0;
    const double top = area.top() + 4.0;
    const auto boxOf = [&](const QString& text) {
        return QRectF(0.0, top, metrics.horizontalAdvance(text) + 4.0, metrics.height());
    };

    std::vector<Label> labels;
    if (m_markers.wall > 0.0 && canvas().isInRange(m_markers.wall)) {
        const double edge = canvas().positionOf(m_markers.wall, 0.0).x();
        for (const QString& text : {m_markers.wallLabel, m_markers.wallShortLabel}) {
            QRectF box = boxOf(text);
            box.moveLeft(edge + gap);
            if (!text.isEmpty() && box.right() <= area.right()) {
                labels.push_back({box, text, canvas().theme().bad});
                break;
            }
        }
    }
    if (m_markers.lead && !m_markers.lead->label.isEmpty() && canvas().isInRange(m_markers.lead->size)) {
        QRectF box = boxOf(m_markers.lead->label);
        const double x = canvas().positionOf(m_markers.lead->size, 0.0).x();
        box.moveRight(x - gap);
        if (box.left() < area.left())
            box.moveLeft(x + gap);
        if (std::ranges::any_of(labels, [&](const Label& other) { return other.box.intersects(box); }))
            box.translate(0.0, metrics.height() + 2.0);
        labels.push_back({box, m_markers.lead->label, m_markers.lead->color});
    }
    return labels;
}

std::vector<QRectF> MarkersOverlay::labelBoxes() const
{
    std::vector<QRectF> boxes;
    for (const auto& label : labels())
        boxes.push_back(label.box);
    return boxes;
}

void MarkersOverlay::paintLabels(QPainter& painter) const
{
    painter.setFont(labelFont());
    for (const auto& label : labels()) {
        // Keeps the lines behind the label from crossing it.
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(canvas().theme().card, 215));
        painter.drawRoundedRect(label.box.adjusted(-3, 0, 3, 0), 3, 3);
        painter.setPen(label.color);
        painter.drawText(label.box, Qt::AlignCenter, label.text);
    }
}

} // namespace batchpeak::ui
