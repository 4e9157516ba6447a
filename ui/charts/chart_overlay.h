// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QGraphicsObject>
#include <QPen>

namespace batchpeak::ui {

class PlotCanvas;

/// Something painted over or under the series of a canvas, in its pixels. Qt Charts itself has neither
/// error bars nor limit lines.
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
    /// A line across the plot from its top to its bottom.
    void paintVertical(QPainter& painter, double place, const QPen& pen) const;
    /// What there is to say while nothing is drawn.
    void paintInTheMiddle(QPainter& painter, const QString& text) const;

private:
    PlotCanvas* m_canvas;
    QRectF m_bounds;
};

/// A hollow diamond, which is told from a line of the same hue, and from rings, in gray too.
/// \param ground  inside it
/// \param arm     from its center to a corner [pixels]
void paintDiamond(QPainter& painter, const QPointF& center, const QColor& color, const QColor& ground,
                  double arm = 4.5);

/// The middle of the pixel at \p x: lines of one pixel are sharp only there.
double crisp(double x);

} // namespace batchpeak::ui
