// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_frame.h"

#include "hover_box.h"
#include "marks_overlay.h"
#include "plot_canvas.h"
#include "zones_overlay.h"

#include <QtCharts/QChart>

#include <QGraphicsTextItem>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace batchpeak::ui {

namespace {

// For the focus frame.
constexpr int frameWidth = 2;

} // namespace

ChartFrame::ChartFrame(QWidget* parent)
    : QWidget(parent),
      m_canvas(new PlotCanvas(this)),
      m_zones(new ZonesOverlay(m_canvas)),
      m_marks(new MarksOverlay(m_canvas)),
      m_hoverBox(new HoverBox(m_canvas))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(frameWidth, frameWidth, frameWidth, frameWidth);
    layout->addWidget(m_canvas);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 96);
    connect(m_canvas, &PlotCanvas::pointerMoved, this, &ChartFrame::pointAt);
    connect(m_canvas, &PlotCanvas::pointerLeft, this, [this] { emit sizePointedAt(std::nullopt); });
    connect(m_canvas, &PlotCanvas::geometryChanged, this, [this] {
        updateHover();
        emit geometryChanged();
    });
}

void ChartFrame::setTheme(const Theme& theme)
{
    m_canvas->setTheme(theme);
    drawScene();
    updateHover();
}

void ChartFrame::setScene(const ChartScene& scene, const SizeRange& range, bool logarithmic)
{
    m_scene = scene;
    m_range = range;
    m_isLogarithmic = logarithmic;
    m_canvas->setSizeRange(range, logarithmic);
    drawScene();
    updateHover();
}

void ChartFrame::setHoveredSize(std::optional<std::int64_t> size)
{
    if (m_hovered == size)
        return;
    m_hovered = size;
    updateHover();
}

void ChartFrame::setSideMargins(int left, int right)
{
    m_canvas->setSideMargins(left, right);
}

int ChartFrame::neededLeftMargin() const
{
    return m_canvas->neededLeftMargin();
}

void ChartFrame::setSizeTitle(const QString& title)
{
    m_canvas->setSizeTitle(title);
}

QPointF ChartFrame::positionOf(double size, double value) const
{
    return m_canvas->positionOf(size, value) + QPointF(m_canvas->pos());
}

QRectF ChartFrame::plotArea() const
{
    return m_canvas->plotArea().translated(m_canvas->pos());
}

QRectF ChartFrame::hoverBox() const
{
    const QRectF box = m_hoverBox->box();
    return box.isEmpty() ? box : box.translated(m_canvas->pos());
}

QStringList ChartFrame::tickLabels() const
{
    QStringList texts;
    for (const QGraphicsItem* item : m_canvas->scene()->items()) {
        if (const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
            text && text->isVisible() && !text->toPlainText().isEmpty())
            texts << text->toPlainText();
    }
    return texts;
}

std::vector<double> ChartFrame::sizeLabelCentres() const
{
    std::vector<double> centres;
    const QRectF area = m_canvas->plotArea();
    for (const QGraphicsItem* item : m_canvas->scene()->items()) {
        const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
        if (!text || !text->isVisible() || text->toPlainText().isEmpty())
            continue;
        const QRectF box = text->sceneBoundingRect();
        const bool isNumber = text->toPlainText().at(0).isDigit();
        if (isNumber && box.top() >= area.bottom() - 1.0)
            centres.push_back(box.center().x() + m_canvas->x());
    }
    std::ranges::sort(centres);
    return centres;
}

const MeasuredPoint* ChartFrame::newestOf(std::int64_t size) const
{
    const auto found = std::ranges::find_if(
        m_scene.points, [&](const MeasuredPoint& point) { return point.size == size && point.newest; });
    return found == m_scene.points.end() ? nullptr : &*found;
}

std::vector<std::int64_t> ChartFrame::measuredSizes() const
{
    std::set<std::int64_t> sizes;
    for (const auto& point : m_scene.points)
        sizes.insert(point.size);
    return {sizes.begin(), sizes.end()};
}

void ChartFrame::pointAt(const QPointF& position)
{
    const auto sizes = measuredSizes();
    if (sizes.empty() || !m_canvas->plotArea().adjusted(-12, 0, 12, 0).contains(position)) {
        emit sizePointedAt(std::nullopt);
        return;
    }
    const auto distance = [&](std::int64_t size) {
        return std::abs(m_canvas->positionOf(static_cast<double>(size), 0.0).x() - position.x());
    };
    emit sizePointedAt(*std::ranges::min_element(sizes, {}, distance));
}

void ChartFrame::updateHover()
{
    const MeasuredPoint* point = m_hovered ? newestOf(*m_hovered) : nullptr;
    if (!point) {
        m_marks->setHoveredSize(std::nullopt);
        m_hoverBox->hideBox();
        return;
    }
    const auto size = static_cast<double>(point->size);
    m_marks->setHoveredSize(size);
    std::vector<QRectF> obstacles = m_marks->labelBoxes();
    for (const auto& other : m_scene.points) {
        const QPointF centre = m_canvas->positionOf(static_cast<double>(other.size), valueOf(other));
        obstacles.emplace_back(centre - QPointF(9, 9), QSizeF(18, 18));
    }
    m_hoverBox->showAt(m_canvas->positionOf(size, valueOf(*point)), hoverLines(*point), std::move(obstacles));
}

void ChartFrame::keyPressEvent(QKeyEvent* event)
{
    const auto sizes = measuredSizes();
    if (sizes.empty() || (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const bool forward = event->key() == Qt::Key_Right;
    if (!m_hovered) {
        emit sizePointedAt(forward ? sizes.front() : sizes.back());
        return;
    }
    if (forward) {
        const auto next = std::ranges::upper_bound(sizes, *m_hovered);
        emit sizePointedAt(next == sizes.end() ? sizes.back() : *next);
    } else {
        const auto here = std::ranges::lower_bound(sizes, *m_hovered);
        emit sizePointedAt(here == sizes.begin() ? sizes.front() : *std::prev(here));
    }
}

void ChartFrame::paintEvent(QPaintEvent*)
{
    if (!hasFocus())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_canvas->theme().throughput, 1.0));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0);
}

void ChartFrame::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ChartFrame::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    emit sizePointedAt(std::nullopt);
    update();
}

} // namespace batchpeak::ui
