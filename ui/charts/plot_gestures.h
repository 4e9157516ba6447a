// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPoint>
#include <QPointF>
#include <QRectF>

class QMouseEvent;
class QRubberBand;
class QWheelEvent;

namespace batchpeak::ui {

class PlotCanvas;

/// Translates mouse and wheel events on a plot to requests: zoom, pan, select a range, show the whole, click.
/// It knows pixels of the canvas and nothing of what is drawn there.
///
/// Wheel events are accepted here: nothing around the plot scrolls.
class PlotGestures : public QObject
{
    Q_OBJECT

public:
    enum class Axis { Places, Values };

    explicit PlotGestures(PlotCanvas* canvas);

    /// Cancels the gesture that is under way, as if it had not begun.
    /// \return whether there was one
    bool cancel();

signals:
    /// \param factor  multiplier of the span that is shown; below 1 zooms in
    void zoomAsked(Axis axis, double factor, const QPointF& at);
    /// The plot was dragged by this many pixels since the last signal.
    void moveAsked(const QPointF& pixels);
    /// The user drew a band: a rectangle, or one that spans the plot if it was drawn along one axis only.
    void rangeAsked(const QRectF& band);
    void wholeAsked();
    void clicked(const QPointF& position);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag { None, Pressed, Moving, Band };

    void wheel(QWheelEvent* event);
    bool press(const QMouseEvent* event);
    bool move(const QMouseEvent* event);
    bool release(const QMouseEvent* event);
    QRectF bandTo(const QPointF& position) const;

    PlotCanvas* m_canvas;
    QRubberBand* m_band = nullptr;
    Drag m_drag = Drag::None;
    QPointF m_pressed;
    QPointF m_last;
};

} // namespace batchpeak::ui
