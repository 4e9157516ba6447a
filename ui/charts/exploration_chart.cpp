// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Code that both charts of an exploration share.
#include "callout.h"
#include "exploration_charts.h"
#include "limits_overlay.h"
#include "markers_overlay.h"
#include "plot_canvas.h"
#include "plot_gestures.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace batchpeak::ui {

namespace {

// Factor and fraction per key press.
constexpr double zoomOfKey = 0.8;
constexpr double moveOfKey = 0.2;
// Smallest range of values that can be zoomed to, as a fraction of all of them.
constexpr double minShareOfValues = 1e-3;
// Maximum distance of a click from the size that it selects [pixels].
constexpr double nearPixels = 16.0;

} // namespace

ExplorationChart::ExplorationChart(QWidget* parent)
    : PlotWidget(parent),
      m_scene(std::make_shared<ChartScene>(chartSceneOf({}))),
      m_zones(new ZonesOverlay(&canvas())),
      m_markers(new MarkersOverlay(&canvas())),
      m_gestures(new PlotGestures(&canvas()))
{
    connect(m_gestures, &PlotGestures::zoomAsked, this,
            [this](PlotGestures::Axis axis, double factor, const QPointF& at) {
                if (axis == PlotGestures::Axis::Places)
                    zoomSizes(factor, canvas().placeAt(at.x()));
                else
                    zoomValues(factor, canvas().valueAt(at.y()));
            });
    connect(m_gestures, &PlotGestures::moveAsked, this, &ExplorationChart::moveBy);
    connect(m_gestures, &PlotGestures::rangeAsked, this, &ExplorationChart::showBand);
    connect(m_gestures, &PlotGestures::wholeAsked, this, &ExplorationChart::wholeAsked);
    connect(m_gestures, &PlotGestures::clicked, this, &ExplorationChart::choosePointAt);
}

void ExplorationChart::setScene(std::shared_ptr<const ChartScene> scene, const Sizes& sizes)
{
    m_scene = std::move(scene);
    m_sizes = sizes;
    canvas().setAxisRange(sizes.shown, sizes.axis.logarithmic);
    drawScene();
    updateHover();
}

void ExplorationChart::setSelectedSize(std::optional<std::int64_t> size)
{
    m_selected = size;
    m_markers->setSelectedSize(size ? std::optional(static_cast<double>(*size)) : std::nullopt);
}

void ExplorationChart::showAllValues()
{
    setValueWindow(std::nullopt);
}

void ExplorationChart::setValueWindow(std::optional<AxisRange> window)
{
    if (window == m_values)
        return;
    m_values = window;
    canvas().setValueWindow(window);
    updateHover();
    emit valueWindowChanged();
}

AxisView ExplorationChart::valueView() const
{
    const AxisRange whole = canvas().wholeValues();
    return {
        .whole = whole, .logarithmic = false, .minSpan = minShareOfValues * (whole.maximum - whole.minimum)};
}

AxisRange ExplorationChart::shownValues() const
{
    return {.minimum = canvas().bottomValue(), .maximum = canvas().topValue()};
}

void ExplorationChart::zoomSizes(double factor, double fixed)
{
    emit sizesAsked(axis().zoomed(shownSizes(), factor, fixed));
}

void ExplorationChart::zoomValues(double factor, double fixed)
{
    setValueWindow(valueView().zoomed(shownValues(), factor, fixed));
}

void ExplorationChart::moveBy(const QPointF& pixels)
{
    const QRectF area = canvas().plotArea();
    if (pixels.x() != 0.0 && shownSizes() != axis().whole)
        emit sizesAsked(axis().moved(shownSizes(), -pixels.x() / area.width()));
    if (pixels.y() != 0.0 && m_values)
        setValueWindow(valueView().moved(*m_values, pixels.y() / area.height()));
}

void ExplorationChart::showBand(const QRectF& band)
{
    const QRectF area = canvas().plotArea();
    const AxisRange sizes{.minimum = canvas().placeAt(band.left()),
                          .maximum = canvas().placeAt(band.right())};
    const AxisRange values{.minimum = canvas().valueAt(band.bottom()),
                           .maximum = canvas().valueAt(band.top())};
    if (band.height() < area.height())
        setValueWindow(valueView().limited(values));
    if (band.width() < area.width())
        emit sizesAsked(axis().limited(sizes));
}

void ExplorationChart::choosePointAt(const QPointF& position)
{
    std::optional<std::int64_t> nearest;
    double min = nearPixels;
    for (const std::int64_t place : places()) {
        const auto size = static_cast<double>(place);
        const double distance = std::abs(canvas().positionOf(size, canvas().topValue()).x() - position.x());
        if (canvas().isInRange(size) && distance <= min) {
            min = distance;
            nearest = place;
        }
    }
    emit sizeChosen(nearest);
}

bool ExplorationChart::zoomByKey(const QKeyEvent& event)
{
    const bool isIn = event.key() == Qt::Key_Plus || event.key() == Qt::Key_Equal;
    if (!isIn && event.key() != Qt::Key_Minus && event.key() != Qt::Key_Underscore)
        return false;
    const double factor = isIn ? zoomOfKey : 1.0 / zoomOfKey;
    const auto place = hoveredPlace() ? hoveredPlace() : m_selected;
    const bool isSeen = place && canvas().isInRange(static_cast<double>(*place));
    const QPointF middle = canvas().plotArea().center();
    if (!event.modifiers().testFlag(Qt::ControlModifier)) {
        zoomSizes(factor, isSeen ? static_cast<double>(*place) : canvas().placeAt(middle.x()));
        return true;
    }
    const MeasuredPoint* point = isSeen ? scene().newestOf(*place) : nullptr;
    zoomValues(factor, (point ? valueOf(*point) : std::nullopt).value_or(canvas().valueAt(middle.y())));
    return true;
}

bool ExplorationChart::moveByKey(const QKeyEvent& event)
{
    if (!event.modifiers().testFlag(Qt::ControlModifier))
        return false;
    const QSizeF area = canvas().plotArea().size();
    switch (event.key()) {
    case Qt::Key_Left:
        moveBy({moveOfKey * area.width(), 0.0});
        return true;
    case Qt::Key_Right:
        moveBy({-moveOfKey * area.width(), 0.0});
        return true;
    case Qt::Key_Up:
        moveBy({0.0, moveOfKey * area.height()});
        return true;
    case Qt::Key_Down:
        moveBy({0.0, -moveOfKey * area.height()});
        return true;
    default:
        return false;
    }
}

void ExplorationChart::leaveByKey()
{
    if (m_gestures->cancel())
        return;
    if (m_selected)
        emit sizeChosen(std::nullopt);
    else
        emit placePointedAt(std::nullopt);
}

void ExplorationChart::keyPressEvent(QKeyEvent* event)
{
    if (zoomByKey(*event) || moveByKey(*event))
        return;
    switch (event->key()) {
    case Qt::Key_Home:
        emit wholeAsked();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (hoveredPlace())
            emit sizeChosen(hoveredPlace());
        return;
    case Qt::Key_Escape:
        leaveByKey();
        return;
    default:
        PlotWidget::keyPressEvent(event);
    }
}

bool ExplorationChart::event(QEvent* event)
{
    // Here Escape clears the selection, even if the window has a shortcut for that key.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return PlotWidget::event(event);
}

double ExplorationChart::lastFittingSize() const
{
    const double end = axis().whole.maximum;
    return scene().memoryZones.wall > 0.0 ? std::min(scene().memoryZones.wall, end) : end;
}

std::optional<AxisRange> ExplorationChart::measuredSizes() const
{
    if (scene().points.empty())
        return std::nullopt;
    const auto [smallest, largest] = std::ranges::minmax(scene().points, {}, &MeasuredPoint::size);
    return AxisRange{.minimum = static_cast<double>(smallest.size),
                     .maximum = static_cast<double>(largest.size)};
}

MarkersOverlay::Markers ExplorationChart::trialsWithoutMeasurement() const
{
    MarkersOverlay::Markers drawn;
    for (const std::int64_t size : scene().outOfMemory)
        drawn.crosses.push_back({static_cast<double>(size), canvas().theme().bad});
    for (const std::int64_t size : scene().running)
        drawn.running.push_back(static_cast<double>(size));
    return drawn;
}

std::vector<std::int64_t> ExplorationChart::places() const
{
    std::set<std::int64_t> sizes;
    for (const auto& point : scene().points)
        sizes.insert(point.size);
    return {sizes.begin(), sizes.end()};
}

void ExplorationChart::showHovered(std::optional<std::int64_t> place)
{
    const auto& points = scene().points;
    const auto found = std::find_if(points.rbegin(), points.rend(), [&](const MeasuredPoint& point) {
        return place == point.size && valueOf(point);
    });
    m_markers->setHoveredSize(place ? std::optional(static_cast<double>(*place)) : std::nullopt);
    if (found == points.rend() || !canvas().isInRange(static_cast<double>(found->size))) {
        callout().hideCallout();
        return;
    }
    const QRectF area = canvas().plotArea();
    QPointF anchor = canvas().positionOf(static_cast<double>(found->size), *valueOf(*found));
    anchor.setY(std::clamp(anchor.y(), area.top(), area.bottom()));
    callout().showAt(anchor, calloutLines(*found), [this] { return obstacles(); });
}

std::vector<QRectF> ExplorationChart::obstacles() const
{
    std::vector<QRectF> boxes = m_markers->labelBoxes();
    for (const auto& point : scene().points) {
        const auto value = valueOf(point);
        if (!value || !canvas().shows(static_cast<double>(point.size), *value))
            continue;
        const QPointF center = canvas().positionOf(static_cast<double>(point.size), *value);
        boxes.emplace_back(center - QPointF(9, 9), QSizeF(18, 18));
    }
    return boxes;
}

} // namespace batchpeak::ui
