// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "callout.h"

#include "plot_canvas.h"

#include <QPainter>

#include <algorithm>
#include <limits>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double padding = 8.0;
constexpr double distance = 14.0;
// Penalty for a position far from the anchor, in hidden pixels; also that for hiding the center of an
// obstacle.
constexpr double farther = 250.0;

} // namespace

Callout::Callout(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::OverAll)
{
    hide();
}

void Callout::showAt(const QPointF& anchor, const QStringList& lines,
                     std::function<std::vector<QRectF>()> obstacles)
{
    m_anchor = anchor;
    m_lines = lines;
    m_obstacles = std::move(obstacles);
    show();
    update();
}

void Callout::hideCallout()
{
    hide();
}

QFont Callout::fontOf(qsizetype line) const
{
    QFont font = canvas().font();
    if (line == 0 && m_lines.size() > 1)
        font.setWeight(QFont::DemiBold);
    return font;
}

QSizeF Callout::sizeOfBox() const
{
    double width = 0.0;
    double height = 0.0;
    for (qsizetype line = 0; line < m_lines.size(); ++line) {
        const QFontMetricsF metrics(fontOf(line));
        width = std::max(width, metrics.horizontalAdvance(m_lines[line]));
        height += metrics.height() + 1.0;
    }
    return {width + 2.0 * padding + 1.0, height + padding};
}

QRectF Callout::box() const
{
    if (!isVisible() || m_lines.isEmpty())
        return {};
    const QSizeF size = sizeOfBox();
    const QRectF area = canvas().plotArea();
    std::vector<QPointF> corners;
    for (const double steps : {1.0, 4.0, 8.0, 12.0}) {
        for (const double x : {m_anchor.x() + distance, m_anchor.x() - distance - size.width()}) {
            corners.emplace_back(x, m_anchor.y() + steps * distance);
            corners.emplace_back(x, m_anchor.y() - steps * distance - size.height());
        }
    }
    // Positions far from the point, since the data around it may be as high as the plot.
    const std::size_t beside = corners.size();
    for (const double x : {area.left() + distance, area.right() - distance - size.width()})
        corners.insert(corners.end(), {{x, area.top() + distance}, {x, area.bottom() - size.height()}});
    const std::vector<QRectF> obstacles = m_obstacles();
    QRectF best;
    double minHidden = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < corners.size(); ++i) {
        QRectF candidate(corners[i], size);
        candidate.moveTop(
            std::clamp(candidate.top(), area.top(), std::max(area.top(), area.bottom() - size.height())));
        const bool outside = candidate.left() < area.left() || candidate.right() > area.right();
        double hidden = (outside ? 1e6 : 0.0) + (i < beside ? 0.0 : farther);
        for (const auto& obstacle : obstacles) {
            const QRectF common = candidate.intersected(obstacle);
            hidden += common.isEmpty() ? 0.0 : 10.0 + common.width() * common.height();
            hidden += common.contains(obstacle.center()) ? farther : 0.0;
        }
        if (hidden < minHidden) {
            minHidden = hidden;
            best = candidate;
        }
    }
    return best;
}

void Callout::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const QRectF frame = box();
    if (frame.isEmpty())
        return;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(canvas().theme().border, 1.0));
    painter->setBrush(canvas().theme().toolTip);
    painter->drawRoundedRect(frame.toAlignedRect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6.0, 6.0);
    painter->setPen(canvas().theme().text);
    double y = frame.top() + padding / 2.0;
    for (qsizetype line = 0; line < m_lines.size(); ++line) {
        painter->setFont(fontOf(line));
        const double height = QFontMetricsF(fontOf(line)).height() + 1.0;
        painter->drawText(QRectF(frame.left() + padding, y, frame.width(), height),
                          Qt::AlignVCenter | Qt::AlignLeft, m_lines[line]);
        y += height;
    }
}

} // namespace batchpeak::ui
