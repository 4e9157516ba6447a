// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"
#include "theme/theme.h"

#include <QtCharts/QChartView>

#include <QMargins>

#include <optional>

class QAbstractSeries;
class QLineSeries;
class QLogValueAxis;
class QValueAxis;

namespace batchpeak::ui {

class PlaceTicksOverlay;

/// One plot: its axes, their margins, and the mapping of a place (a micro-batch size, or a step of a run) and
/// a value to a position. What is drawn in it belongs to the chart that owns it, and to overlays.
///
/// The plot area is set explicitly, not left to the layout, so that canvases of equal width and margins have
/// the same places at the same x.
class PlotCanvas : public QChartView
{
    Q_OBJECT

public:
    explicit PlotCanvas(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    const Theme& theme() const { return m_theme; }

    /// Adds a series to the canvas' chart, drawn against its axes.
    void addSeries(QAbstractSeries* series);

    void setAxisRange(const AxisRange& range, bool logarithmic);
    /// Sets the smallest and the largest value to show, with free space above; the number of ticks follows
    /// from the height. The axis may begin above 0 unless \p smallest is 0.
    void setValueRange(double smallest, double largest);
    /// Sets the zoomed range of values, which replaces that range; nothing to show that range again.
    void setValueWindow(std::optional<AxisRange> window);
    /// From now on values are at least 1 and their ticks are at powers of two, as those of sizes.
    void setLogarithmicValues();
    /// Shows or hides the labels of the value axis, which would suggest a scale while nothing is measured.
    void setValuesVisible(bool visible);
    /// Sets the margins at the left and right of the plot area; those above and below follow from the font.
    void setSideMargins(int left, int right);
    void setAxisTitle(const QString& title);

    /// Returns the width that the value labels need at the left, in pixels.
    int neededLeftMargin() const;
    QRectF plotArea() const;
    QRectF chartRect() const;
    /// Returns a position in pixels of the canvas; for a place below the range, it is left of the plot area.
    QPointF positionOf(double place, double value) const;
    double placeAt(double x) const;
    double valueAt(double y) const;
    double topValue() const { return m_scale.top; }
    double bottomValue() const { return m_scale.bottom; }
    /// Returns the range of values that is shown without a zoomed one.
    AxisRange wholeValues() const;
    bool isInRange(double place) const { return place >= m_range.minimum && place <= m_range.maximum; }
    const AxisRange& axisRange() const { return m_range; }
    /// Whether a point lies within what is shown.
    bool shows(double place, double value) const;
    /// Returns the distance of the place labels from the plot area [pixels].
    double labelDistance() const;
    const PlaceTicksOverlay& placeTicks() const { return *m_placeTicks; }

signals:
    /// Positions may have changed: overlays update their bounding rectangles.
    void geometryChanged();
    void pointerMoved(const QPointF& position);
    void pointerLeft();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void layOut();
    void scaleValues(const QRectF& area);
    void scalePlaces(const QRectF& area);
    int maxValueTicks(const QRectF& area) const;
    void styleAxes();
    QAbstractAxis* placeAxis() const;
    QAbstractAxis* valueAxis() const;
    /// Replaces an axis by another one, for all series.
    void replaceAxis(QAbstractAxis* before, QAbstractAxis* axis, Qt::Alignment alignment);

    Theme m_theme = Theme::light();
    AxisRange m_range;
    ValueScale m_scale;
    double m_smallestValue = 0.0;
    double m_largestValue = 1.0;
    std::optional<AxisRange> m_valueWindow;
    bool m_logarithmic = true;
    int m_leftMargin = 0;
    int m_rightMargin = 16;
    QLogValueAxis* m_logAxis = nullptr;
    QValueAxis* m_linearAxis = nullptr;
    QValueAxis* m_valueAxis = nullptr;
    /// Replaces m_valueAxis if values are logarithmic.
    QLogValueAxis* m_logValueAxis = nullptr;
    /// A series without points, used to query positions from Qt Charts.
    QLineSeries* m_anchor = nullptr;
    PlaceTicksOverlay* m_placeTicks = nullptr;
};

} // namespace batchpeak::ui
