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

/// What hands do to a plot, in words: zoom, move, a range, the whole, a click. It knows pixels of the canvas
/// and nothing of what is drawn there.
///
/// The wheel is for the plot alone: nothing around it scrolls.
class PlotGestures : public QObject
{
    Q_OBJECT

public:
    enum class Axis { Places, Values };

    explicit PlotGestures(PlotCanvas* canvas);

    /// Ends what is under way, as if it had not begun. \return whether there was something
    bool cancel();

signals:
    /// \param factor  of the span that is shown: below 1 shows less
    void zoomAsked(Axis axis, double factor, const QPointF& at);
    /// The plot was dragged by so many pixels since the last time.
    void moveAsked(const QPointF& pixels);
    /// A band was drawn: a rectangle, or one that spans the plot where it was drawn along one axis alone.
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
