// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_widget.h"

#include "callout.h"
#include "place_ticks_overlay.h"
#include "plot_canvas.h"

#include <QtCharts/QChart>

#include <QGraphicsTextItem>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

// Width of the focus frame.
constexpr int frameWidth = 2;

/// Whether a label is visible. Labels that PlaceTicksOverlay replaces exist, but are transparent.
bool isSeen(const QGraphicsTextItem& text)
{
    return text.isVisible() && !text.toPlainText().isEmpty() && text.defaultTextColor().alpha() > 0;
}

} // namespace

PlotWidget::PlotWidget(QWidget* parent)
    : QWidget(parent), m_canvas(new PlotCanvas(this)), m_callout(new Callout(m_canvas))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(frameWidth, frameWidth, frameWidth, frameWidth);
    layout->addWidget(m_canvas);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 96);
    connect(m_canvas, &PlotCanvas::pointerMoved, this, &PlotWidget::pointAt);
    connect(m_canvas, &PlotCanvas::pointerLeft, this, [this] { emit placePointedAt(std::nullopt); });
    connect(m_canvas, &PlotCanvas::geometryChanged, this, [this] {
        updateHover();
        emit geometryChanged();
    });
}

void PlotWidget::setTheme(const Theme& theme)
{
    m_canvas->setTheme(theme);
    drawScene();
    updateHover();
}

void PlotWidget::setHoveredPlace(std::optional<std::int64_t> place)
{
    if (m_hovered == place)
        return;
    m_hovered = place;
    updateHover();
}

void PlotWidget::setSideMargins(int left, int right)
{
    m_canvas->setSideMargins(left, right);
}

int PlotWidget::neededLeftMargin() const
{
    return m_canvas->neededLeftMargin();
}

void PlotWidget::setAxisTitle(const QString& title)
{
    m_canvas->setAxisTitle(title);
}

QPointF PlotWidget::positionOf(double place, double value) const
{
    return m_canvas->positionOf(place, value) + QPointF(m_canvas->pos());
}

QRectF PlotWidget::plotArea() const
{
    return m_canvas->plotArea().translated(m_canvas->pos());
}

QRectF PlotWidget::calloutBox() const
{
    const QRectF box = m_callout->box();
    return box.isEmpty() ? box : box.translated(m_canvas->pos());
}

QStringList PlotWidget::tickLabels() const
{
    QStringList texts;
    for (const QGraphicsItem* item : m_canvas->scene()->items()) {
        if (const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item); text && isSeen(*text))
            texts << text->toPlainText();
    }
    return texts + m_canvas->placeTicks().labels();
}

std::vector<double> PlotWidget::axisLabelCenters() const
{
    std::vector<double> centers;
    for (const double center : m_canvas->placeTicks().labelCenters())
        centers.push_back(center + m_canvas->x());
    const QRectF area = m_canvas->plotArea();
    for (const QGraphicsItem* item : m_canvas->scene()->items()) {
        const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item);
        if (!text || !isSeen(*text))
            continue;
        const QRectF box = text->sceneBoundingRect();
        const bool isNumber = text->toPlainText().at(0).isDigit();
        if (isNumber && box.top() >= area.bottom() - 1.0)
            centers.push_back(box.center().x() + m_canvas->x());
    }
    std::ranges::sort(centers);
    return centers;
}

void PlotWidget::pointAt(const QPointF& position)
{
    auto all = places();
    std::erase_if(all,
                  [this](std::int64_t place) { return !m_canvas->isInRange(static_cast<double>(place)); });
    if (all.empty() || !m_canvas->plotArea().adjusted(-12, 0, 12, 0).contains(position)) {
        emit placePointedAt(std::nullopt);
        return;
    }
    const auto distance = [&](std::int64_t place) {
        return std::abs(m_canvas->positionOf(static_cast<double>(place), m_canvas->topValue()).x() -
                        position.x());
    };
    // The nearest place in pixels is one of the two around the pointer.
    const auto above =
        std::ranges::lower_bound(all, m_canvas->placeAt(position.x()), {},
                                 [](std::int64_t place) { return static_cast<double>(place); });
    if (above == all.begin() || (above != all.end() && distance(*above) < distance(*std::prev(above))))
        emit placePointedAt(*above);
    else
        emit placePointedAt(*std::prev(above));
}

void PlotWidget::keyPressEvent(QKeyEvent* event)
{
    const auto all = places();
    if (all.empty() || (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const bool forward = event->key() == Qt::Key_Right;
    if (!m_hovered) {
        emit placePointedAt(forward ? all.front() : all.back());
        return;
    }
    if (forward) {
        const auto next = std::ranges::upper_bound(all, *m_hovered);
        emit placePointedAt(next == all.end() ? all.back() : *next);
    } else {
        const auto here = std::ranges::lower_bound(all, *m_hovered);
        emit placePointedAt(here == all.begin() ? all.front() : *std::prev(here));
    }
}

void PlotWidget::paintEvent(QPaintEvent*)
{
    if (!hasFocus())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_canvas->theme().throughput, 1.0));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0);
}

void PlotWidget::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void PlotWidget::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    emit placePointedAt(std::nullopt);
    update();
}

PlotGroup::PlotGroup(std::vector<PlotWidget*> plots, QObject* parent)
    : QObject(parent), m_plots(std::move(plots))
{
    for (PlotWidget* plot : m_plots) {
        connect(plot, &PlotWidget::geometryChanged, this, &PlotGroup::alignMargins);
        connect(plot, &PlotWidget::placePointedAt, this, [this](std::optional<std::int64_t> place) {
            for (PlotWidget* other : m_plots)
                other->setHoveredPlace(place);
        });
    }
}

void PlotGroup::setRightMargin(int pixels)
{
    m_rightMargin = pixels;
    alignMargins();
}

void PlotGroup::alignMargins()
{
    int left = 0;
    for (const PlotWidget* plot : m_plots)
        left = std::max(left, plot->neededLeftMargin());
    for (PlotWidget* plot : m_plots)
        plot->setSideMargins(left, m_rightMargin);
}

} // namespace batchpeak::ui
