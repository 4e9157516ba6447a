// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "course_chart.h"

#include "snapshot/ending_text.h"
#include "text/readable_text.h"
#include "widgets/plain_text.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr double leftMargin = 34.0;
constexpr double rightMargin = 8.0;
constexpr double topMargin = 18.0;
constexpr double bottomMargin = 18.0;
// Before this time, the line would jump with every second.
constexpr double minSeconds = 10.0;

} // namespace

CourseChart::CourseChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Confidence over time"));
    setMouseTracking(true);
}

void CourseChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void CourseChart::display(const engine::Snapshot& snapshot, bool awaitsSearch)
{
    std::vector<engine::CoursePoint> points;
    std::ranges::copy_if(snapshot.course, std::back_inserter(points),
                         [](const engine::CoursePoint& point) { return point.size > 0; });
    // If the history has too little of a search, there is only the result; the course of a run elsewhere is
    // recomputed once it has ended.
    const QString noCourse = !snapshot.recommendsSize()
                                 ? snapshot.finish ? tr("No size was found") : tr("No recommendation yet")
                             : awaitsSearch && snapshot.finish ? tr("Being worked out from the history")
                             : snapshot.finish                 ? tr("Not worked out from the history")
                                                               : tr("Shown once the run has ended");
    if (std::exchange(m_noCourse, noCourse) != noCourse)
        update();
    const double target = snapshot.run ? 100.0 * snapshot.run->targetConfidence : m_targetPercent;
    // A line that grows by less than a pixel is not worth a repaint.
    const double pixel = m_elapsedSeconds / std::max(1.0, plotArea().width());
    if (points == m_points && target == m_targetPercent &&
        std::abs(snapshot.elapsedSeconds - m_elapsedSeconds) < pixel)
        return;
    m_points = std::move(points);
    m_targetPercent = target;
    m_elapsedSeconds = snapshot.elapsedSeconds;
    setAccessibleDescription(textAt(plotArea().right()));
    update();
}

QSize CourseChart::sizeHint() const
{
    return {240, 120};
}

QSize CourseChart::minimumSizeHint() const
{
    return {140, 70};
}

QRectF CourseChart::plotArea() const
{
    return QRectF(rect()).adjusted(leftMargin, topMargin, -rightMargin, -bottomMargin);
}

QPointF CourseChart::positionOf(double seconds, double percent) const
{
    const QRectF area = plotArea();
    const double span = std::max(minSeconds, m_elapsedSeconds);
    return {area.left() + area.width() * std::clamp(seconds / span, 0.0, 1.0),
            area.bottom() - area.height() * std::clamp(percent, 0.0, 100.0) / 100.0};
}

void CourseChart::paintScale(QPainter& painter) const
{
    const QRectF area = plotArea();
    painter.setFont(scaled(font(), 0.8));
    for (const int percent : {0, 50, 100}) {
        const double y = std::floor(positionOf(0.0, percent).y()) + 0.5;
        painter.setPen(m_theme.grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(m_theme.mutedText);
        painter.drawText(QRectF(0, y - 8, leftMargin - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(percent));
    }
    painter.setPen(QPen(m_theme.good, 1.0, Qt::DashLine));
    const double target = std::floor(positionOf(0.0, m_targetPercent).y()) + 0.5;
    painter.drawLine(QPointF(area.left(), target), QPointF(area.right(), target));
    painter.setPen(m_theme.mutedText);
    const QRectF below(area.left(), area.bottom() + 2, area.width(), bottomMargin);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignTop, QStringLiteral("0"));
    painter.drawText(below, Qt::AlignRight | Qt::AlignTop,
                     engine::wholeDurationText(std::max(minSeconds, m_elapsedSeconds)));
}

void CourseChart::paintCourse(QPainter& painter) const
{
    QPainterPath path(positionOf(m_points.front().elapsedSeconds, m_points.front().confidence));
    for (std::size_t i = 1; i < m_points.size(); ++i) {
        const QPointF next = positionOf(m_points[i].elapsedSeconds, m_points[i].confidence);
        path.lineTo(next.x(), path.currentPosition().y());
        path.lineTo(next);
    }
    path.lineTo(positionOf(m_elapsedSeconds, 0.0).x(), path.currentPosition().y());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.throughput, 2.0));
    painter.drawPath(path);
}

/// Paints as many sizes as fit side by side.
void CourseChart::paintSizes(QPainter& painter) const
{
    painter.setFont(scaled(font(), 0.85, QFont::DemiBold));
    const QRectF area = plotArea();
    double free = area.right();
    // The newest sizes have priority.
    for (std::size_t place = m_points.size(); place-- > 0;) {
        const engine::CoursePoint& point = m_points[place];
        if (place > 0 && m_points[place - 1].size == point.size)
            continue;
        const double x = positionOf(point.elapsedSeconds, 0.0).x();
        painter.setPen(QPen(m_theme.gaugeTrack, 1.0, Qt::DotLine));
        painter.drawLine(QPointF(std::floor(x) + 0.5, area.top()),
                         QPointF(std::floor(x) + 0.5, area.bottom()));
        const QString text = engine::numberText(point.size);
        const double width = painter.fontMetrics().horizontalAdvance(text) + 6.0;
        const double left = std::min(x, area.right() - width);
        if (left + width > free)
            continue;
        painter.setPen(m_theme.text);
        painter.drawText(QRectF(left, 0, width, topMargin), Qt::AlignLeft | Qt::AlignVCenter, text);
        free = left;
    }
}

void CourseChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_points.empty()) {
        painter.setPen(m_theme.mutedText);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_noCourse);
        return;
    }
    paintScale(painter);
    paintSizes(painter);
    paintCourse(painter);
}

QString CourseChart::textAt(double x) const
{
    const engine::CoursePoint* found = nullptr;
    for (const engine::CoursePoint& point : m_points) {
        if (positionOf(point.elapsedSeconds, 0.0).x() <= x)
            found = &point;
    }
    if (!found)
        return {};
    QString text = tr("After %1 and %2: %3, confidence %4 %")
                       .arg(engine::wholeDurationText(found->elapsedSeconds),
                            engine::trialsText(found->trials), engine::numberText(found->size))
                       .arg(found->confidence);
    if (const QString loss = engine::expectedLossText(found->expectedLoss); !loss.isEmpty())
        text += tr(", expected loss %1").arg(loss);
    return text;
}

bool CourseChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), plainToolTip(textAt(help->pos().x())), this);
    return true;
}

} // namespace batchpeak::ui
