// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scales.h"
#include "theme.h"

#include <QtCharts/QChartView>

#include <QMargins>

class QAbstractSeries;
class QLineSeries;
class QLogValueAxis;
class QValueAxis;

namespace batchpeak::ui {

/// One plot: its axes, their margins, and where a size and a value lie on it. What is drawn in it
/// belongs to the chart that owns it, and to overlays.
///
/// The plot area is set, not left to the layout, so that two canvases of equal width and margins have
/// the same sizes at the same x.
class PlotCanvas : public QChartView
{
    Q_OBJECT

public:
    explicit PlotCanvas(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    const Theme& theme() const { return m_theme; }

    /// A series of the canvas' chart, drawn against its axes.
    void addSeries(QAbstractSeries* series);

    void setSizeRange(const SizeRange& range, bool logarithmic);
    /// The largest value to show, with room above; how many ticks follows from the height.
    void setLargestValue(double largest);
    /// Labels would claim a scale where nothing is measured.
    void setValuesVisible(bool visible);
    /// Left and right of the plot area; above and below follow from the font.
    void setSideMargins(int left, int right);
    void setSizeTitle(const QString& title);

    /// What the value labels need at the left, in pixels.
    int neededLeftMargin() const;
    QRectF plotArea() const;
    QRectF chartRect() const;
    /// In pixels of the canvas; of a size below the range, left of the plot area.
    QPointF positionOf(double size, double value) const;
    double sizeAt(double x) const;
    double topValue() const { return m_scale.top; }
    bool isInRange(double size) const { return size >= m_range.minimum && size <= m_range.maximum; }
    const SizeRange& sizeRange() const { return m_range; }

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
    void styleAxes();
    QAbstractAxis* sizeAxis() const;

    Theme m_theme = Theme::day();
    SizeRange m_range;
    ValueScale m_scale;
    double m_largestValue = 1.0;
    bool m_logarithmic = true;
    int m_leftMargin = 0;
    int m_rightMargin = 16;
    QLogValueAxis* m_logAxis = nullptr;
    QValueAxis* m_linearAxis = nullptr;
    QValueAxis* m_valueAxis = nullptr;
    /// Without a point; through it positions are asked for.
    QLineSeries* m_anchor = nullptr;
};

} // namespace batchpeak::ui
