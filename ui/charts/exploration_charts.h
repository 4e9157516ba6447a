// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_view.h"
#include "chart_scene.h"
#include "markers_overlay.h"
#include "plot_widget.h"
#include "theme/theme.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QAreaSeries;
class QLineSeries;

namespace batchpeak::ui {

class ExplorationLegend;
class LimitsOverlay;
class PhaseStrip;
class PlotGestures;
class ZonesOverlay;

/// Base of both charts of an exploration: a plot of some quantity over the micro-batch size. It draws a
/// ChartScene and decides nothing; ExplorationCharts synchronizes the two.
///
/// The shown range of sizes and the selected size are the same in both charts, so that a chart only emits
/// requests for them; each chart keeps its own range of values.
class ExplorationChart : public PlotWidget
{
    Q_OBJECT

public:
    /// The sizes that a scene spans, and the range that the user has zoomed to.
    struct Sizes
    {
        AxisView axis;
        AxisRange shown;
    };

    explicit ExplorationChart(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<const ChartScene> scene, const Sizes& sizes);
    void setSelectedSize(std::optional<std::int64_t> size);
    /// Whether only a part of the values is shown.
    bool hasValueWindow() const { return m_values.has_value(); }
    void showAllValues();

signals:
    /// Requests to show these sizes; nothing for all of them.
    void sizesAsked(std::optional<batchpeak::ui::AxisRange> sizes);
    /// Requests to show everything in both charts.
    void wholeAsked();
    void valueWindowChanged();
    /// The user chose a size; nothing if the selection was cleared.
    void sizeChosen(std::optional<std::int64_t> size);

protected:
    /// Returns the text of the callout for a point, and the value at which the point is drawn; nothing if it
    /// is not drawn.
    virtual QStringList calloutLines(const MeasuredPoint& point) const = 0;
    virtual std::optional<double> valueOf(const MeasuredPoint& point) const = 0;

    std::vector<std::int64_t> places() const override;
    void showHovered(std::optional<std::int64_t> place) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

    /// Returns the end of the axis of all sizes, or the wall if that is smaller.
    double lastFittingSize() const;
    /// Returns the markers of running trials, and of those that ran out of memory.
    MarkersOverlay::Markers trialsWithoutMeasurement() const;
    /// Returns the smallest and the largest measured size; nothing if no size was measured.
    std::optional<AxisRange> measuredSizes() const;

    const ChartScene& scene() const { return *m_scene; }
    const std::shared_ptr<const ChartScene>& sharedScene() const { return m_scene; }
    const AxisRange& shownSizes() const { return m_sizes.shown; }
    const AxisView& axis() const { return m_sizes.axis; }
    MarkersOverlay& markers() const { return *m_markers; }
    ZonesOverlay& zones() const { return *m_zones; }

private:
    void zoomSizes(double factor, double fixed);
    void zoomValues(double factor, double fixed);
    void moveBy(const QPointF& pixels);
    void showBand(const QRectF& band);
    void choosePointAt(const QPointF& position);
    bool zoomByKey(const QKeyEvent& event);
    bool moveByKey(const QKeyEvent& event);
    void leaveByKey();
    /// Returns what a callout should not cover.
    std::vector<QRectF> obstacles() const;
    void setValueWindow(std::optional<AxisRange> window);
    AxisView valueView() const;
    AxisRange shownValues() const;

    std::shared_ptr<const ChartScene> m_scene;
    Sizes m_sizes;
    std::optional<AxisRange> m_values;
    std::optional<std::int64_t> m_selected;
    ZonesOverlay* m_zones;
    MarkersOverlay* m_markers;
    PlotGestures* m_gestures;
};

/// The speed over the size, in the quantity of the scene: the measurement of each trial; the estimate from
/// all trials of a size, with its 95 % interval; and the fitted curve with its band from the 5 % to the 95 %
/// quantile, paler, and dashed where nothing was measured.
class ThroughputChart : public ExplorationChart
{
    Q_OBJECT

public:
    explicit ThroughputChart(QWidget* parent = nullptr);

protected:
    void drawScene() override;
    QStringList calloutLines(const MeasuredPoint& point) const override;
    std::optional<double> valueOf(const MeasuredPoint& point) const override;

private:
    /// Returns the model curve as it is drawn: the means of narrow strips of the size axis.
    std::vector<ModelPoint> curveInStrips() const;
    /// Returns the shift of each comparison [pixels], by its number.
    std::map<int, double> shiftsOfComparisons() const;
    std::vector<MarkersOverlay::Joint> joints(const std::map<int, double>& shifts) const;
    static QString againstText(const MeasuredPoint& point, const ComparedSizes& compared);
    /// Returns half of the interval that is drawn at a trial: 0 if one interval stands for all trials of its
    /// size.
    double halfShownOf(const MeasuredPoint& point) const;
    /// Returns the color of the ring of a point, and of the estimate at its size.
    QColor hueOf(const MeasuredPoint& point) const;
    QString speedText(double value, std::optional<double> relativeError) const;
    QStringList speedLines(const MeasuredPoint& point) const;
    QStringList detailLines(const MeasuredPoint& point) const;
    QStringList remarkLines(const MeasuredPoint& point) const;
    void drawCurve();
    void drawMarkers();
    double largestValue() const;

    QLineSeries* m_upper;
    QLineSeries* m_lower;
    QAreaSeries* m_band;
    /// The parts below, within and above the measured sizes.
    std::array<QLineSeries*, 3> m_curves;
};

/// Peak memory over the size, with the device limit, the headroom and the straight line that predicts the
/// rest (a curve on a logarithmic axis), paler, and dashed where nothing was measured.
class MemoryChart : public ExplorationChart
{
    Q_OBJECT

public:
    explicit MemoryChart(QWidget* parent = nullptr);

protected:
    void drawScene() override;
    QStringList calloutLines(const MeasuredPoint& point) const override;
    std::optional<double> valueOf(const MeasuredPoint& point) const override;

private:
    void drawLine();
    void drawMarkers();
    double largestValue() const;

    std::array<QLineSeries*, 3> m_lines;
    LimitsOverlay* m_limits;
};

/// Synchronizes the two charts: one axis of sizes, one zoomed range, one selected size, one quantity, one
/// legend. It redraws only what has changed.
///
/// The zoomed range is kept while the exploration continues, until the user requests the whole or another
/// exploration begins.
class ExplorationCharts : public PlotGroup
{
    Q_OBJECT

public:
    struct Parts
    {
        ThroughputChart* throughput = nullptr;
        MemoryChart* memory = nullptr;
        ExplorationLegend* legend = nullptr;
        PhaseStrip* phases = nullptr;
    };

    explicit ExplorationCharts(const Parts& parts, QObject* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot);
    /// \param logarithmic  if false, the sizes are spread linearly, from 0
    void setLogarithmic(bool logarithmic);
    /// Sets the quantity in which speeds are shown where it is available; elsewhere they are in samples/s.
    void setQuantity(engine::SpeedQuantity quantity);
    /// Marks a size in both charts and brings it into view, without emitting sizeSelected().
    void setSelectedSize(std::optional<std::int64_t> size);
    std::optional<std::int64_t> selectedSize() const { return m_selected; }
    /// Whether the charts show less than the whole.
    bool isZoomed() const;
    void showWhole();

    const ChartScene& scene() const { return *m_scene; }
    /// Returns the unit of the memory chart's numbers, "GiB" or "MiB".
    const engine::MemoryUnit& memoryUnit() const { return m_scene->unit; }

signals:
    /// The user selected a size in a chart; nothing if the selection was cleared.
    void sizeSelected(std::optional<std::int64_t> size);
    void zoomChanged(bool zoomed);
    /// The available quantities have changed, or the shown one has.
    void quantitiesChanged();

private:
    void draw();
    void look(std::optional<AxisRange> sizes);
    void reveal(std::int64_t size);
    void select(std::optional<std::int64_t> size);
    void showPhases();
    ExplorationChart::Sizes sizes() const;
    std::array<ExplorationChart*, 2> charts() const;

    Parts m_parts;
    std::shared_ptr<const ChartScene> m_scene;
    engine::SpeedQuantity m_quantity = engine::SpeedQuantity::SamplesPerSecond;
    bool m_logarithmic = true;
    /// The range that the user has zoomed to; nothing for all sizes.
    std::optional<AxisRange> m_zoom;
    std::optional<std::int64_t> m_selected;
};

} // namespace batchpeak::ui
