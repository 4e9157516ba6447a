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

/// One plot: its axes, their margins, and where a value lies on it, over a place: a micro-batch size, or a
/// step of a run. What is drawn in it belongs to the chart that owns it, and to overlays.
///
/// The plot area is set, not left to the layout, so that canvases of equal width and margins have the same
/// places at the same x.
class PlotCanvas : public QChartView
{
    Q_OBJECT

public:
    explicit PlotCanvas(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    const Theme& theme() const { return m_theme; }

    /// A series of the canvas' chart, drawn against its axes.
    void addSeries(QAbstractSeries* series);

    void setAxisRange(const AxisRange& range, bool logarithmic);
    /// The smallest and the largest value to show, with room above; how many ticks follows from the height.
    /// The axis need not begin at 0 unless the smallest is.
    void setValueRange(double smallest, double largest);
    /// The values between which a person looks at the plot, in the place of that range; nothing for the
    /// range.
    void setValueWindow(std::optional<AxisRange> window);
    /// From now on values are at least 1 and stand at powers of two, as sizes do.
    void setLogarithmicValues();
    /// Labels would claim a scale where nothing is measured.
    void setValuesVisible(bool visible);
    /// Left and right of the plot area; above and below follow from the font.
    void setSideMargins(int left, int right);
    void setAxisTitle(const QString& title);

    /// What the value labels need at the left, in pixels.
    int neededLeftMargin() const;
    QRectF plotArea() const;
    QRectF chartRect() const;
    /// In pixels of the canvas; of a place below the range, left of the plot area.
    QPointF positionOf(double place, double value) const;
    double placeAt(double x) const;
    double valueAt(double y) const;
    double topValue() const { return m_scale.top; }
    double bottomValue() const { return m_scale.bottom; }
    /// What would be shown without a window.
    AxisRange wholeValues() const;
    bool isInRange(double place) const { return place >= m_range.minimum && place <= m_range.maximum; }
    const AxisRange& axisRange() const { return m_range; }
    /// Whether a point lies within what is shown.
    bool shows(double place, double value) const;
    /// Of the labels of places from the plot area [pixels].
    double labelDistance() const;
    const PlaceTicksOverlay& placeTicks() const { return *m_placeTicks; }

signals:
    /// Positions may have changed: overlays take their bounds anew.
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
    /// Takes the place of another axis, for all series.
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
    /// Takes the place of m_valueAxis where values are logarithmic.
    QLogValueAxis* m_logValueAxis = nullptr;
    /// A series without a point, through which Qt Charts is asked for positions.
    QLineSeries* m_anchor = nullptr;
    PlaceTicksOverlay* m_placeTicks = nullptr;
};

} // namespace batchpeak::ui
