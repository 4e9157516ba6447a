// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_gestures.h"

#include "plot_canvas.h"

#include <QApplication>
#include <QMouseEvent>
#include <QRubberBand>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

// Zoom factor per step of the wheel, which has 120 of its units.
constexpr double zoomOfStep = 0.8;
constexpr double unitsOfStep = 120.0;
// Distance that a step of the wheel pans a plot [pixels].
constexpr double moveOfStep = 60.0;
// A band that is lower or narrower applies to the other axis only.
constexpr double minBandPixels = 12.0;

} // namespace

PlotGestures::PlotGestures(PlotCanvas* canvas)
    : QObject(canvas), m_canvas(canvas), m_band(new QRubberBand(QRubberBand::Rectangle, canvas->viewport()))
{
    canvas->viewport()->installEventFilter(this);
}

bool PlotGestures::cancel()
{
    const bool wasUnderWay = m_drag != Drag::None;
    m_drag = Drag::None;
    m_band->hide();
    m_canvas->viewport()->unsetCursor();
    return wasUnderWay;
}

bool PlotGestures::eventFilter(QObject*, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Wheel:
        wheel(static_cast<QWheelEvent*>(event));
        return true;
    case QEvent::MouseButtonPress:
        return press(static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
        return move(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
        return release(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick:
        if (static_cast<QMouseEvent*>(event)->button() != Qt::LeftButton)
            return false;
        cancel();
        emit wholeAsked();
        return true;
    default:
        return false;
    }
}

void PlotGestures::wheel(QWheelEvent* event)
{
    event->accept();
    const QPointF delta = QPointF(event->angleDelta()) / unitsOfStep;
    // Some platforms swap the axes of the wheel while a modifier is pressed.
    const double along = delta.y() != 0.0 ? delta.y() : delta.x();
    const bool sideways = event->modifiers().testFlag(Qt::ShiftModifier) || delta.y() == 0.0;
    if (along == 0.0)
        return;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        emit zoomAsked(Axis::Values, std::pow(zoomOfStep, along), event->position());
    else if (sideways)
        emit moveAsked(QPointF(along * moveOfStep, 0.0));
    else
        emit zoomAsked(Axis::Places, std::pow(zoomOfStep, along), event->position());
}

bool PlotGestures::press(const QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_canvas->plotArea().contains(event->position()))
        return false;
    m_pressed = m_last = event->position();
    m_drag = event->modifiers().testFlag(Qt::ShiftModifier) ? Drag::Band : Drag::Pressed;
    return true;
}

QRectF PlotGestures::bandTo(const QPointF& position) const
{
    const QRectF area = m_canvas->plotArea();
    QRectF band = QRectF(m_pressed, position).normalized().intersected(area);
    const bool isFlat = band.height() < minBandPixels;
    const bool isSlim = band.width() < minBandPixels;
    if (isFlat && !isSlim) {
        band.setTop(area.top());
        band.setBottom(area.bottom());
    } else if (isSlim && !isFlat) {
        band.setLeft(area.left());
        band.setRight(area.right());
    }
    return band;
}

bool PlotGestures::move(const QMouseEvent* event)
{
    switch (m_drag) {
    case Drag::None:
        return false;
    case Drag::Band:
        m_band->setGeometry(bandTo(event->position()).toRect());
        m_band->show();
        return true;
    case Drag::Pressed:
        if ((event->position() - m_pressed).manhattanLength() < QApplication::startDragDistance())
            return true;
        m_drag = Drag::Moving;
        m_canvas->viewport()->setCursor(Qt::ClosedHandCursor);
        break;
    case Drag::Moving:
        break;
    }
    emit moveAsked(event->position() - m_last);
    m_last = event->position();
    return true;
}

bool PlotGestures::release(const QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_drag == Drag::None)
        return false;
    const Drag ended = m_drag;
    const QRectF band = bandTo(event->position());
    cancel();
    if (ended == Drag::Pressed)
        emit clicked(event->position());
    else if (ended == Drag::Band && std::max(band.width(), band.height()) >= minBandPixels)
        emit rangeAsked(band);
    return true;
}

} // namespace batchpeak::ui
