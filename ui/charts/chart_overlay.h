// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QGraphicsObject>
#include <QPen>

namespace batchpeak::ui {

class PlotCanvas;

/// An item painted over or under the series of a canvas, in pixels of the canvas. Qt Charts itself has
/// neither error bars nor limit lines.
class ChartOverlay : public QGraphicsObject
{
    Q_OBJECT

public:
    enum class Layer { UnderSeries, OverSeries, OverAll };

    ChartOverlay(PlotCanvas* canvas, Layer layer);
    QRectF boundingRect() const override;

protected:
    const PlotCanvas& canvas() const { return *m_canvas; }
    QFont labelFont() const;
    /// Paints a line across the plot from its top to its bottom.
    void paintVertical(QPainter& painter, double place, const QPen& pen) const;
    /// Paints the text that is shown while nothing is drawn.
    void paintInTheMiddle(QPainter& painter, const QString& text) const;

private:
    PlotCanvas* m_canvas;
    QRectF m_bounds;
};

/// Paints a hollow diamond, which can be told from a line of the same hue, and from rings, in grayscale too.
/// \param ground  fill color
/// \param arm     distance from the center to a corner [pixels]
void paintDiamond(QPainter& painter, const QPointF& center, const QColor& color, const QColor& ground,
                  double arm = 4.5);

/// Returns the middle of the pixel at \p x: lines of one pixel are sharp only there.
double crisp(double x);

} // namespace batchpeak::ui
