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

/// What both charts of an exploration are: a plot of some quantity over the micro-batch size. It draws a
/// ChartScene and decides nothing; ExplorationCharts keeps both in step.
///
/// Which sizes are shown, and which one is selected, is the same in both charts, so that it is only asked for
/// here; which values are shown is each chart's own.
class ExplorationChart : public PlotWidget
{
    Q_OBJECT

public:
    /// The sizes that a scene spans, and those that a person looks at.
    struct Sizes
    {
        AxisView axis;
        AxisRange shown;
    };

    explicit ExplorationChart(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<const ChartScene> scene, const Sizes& sizes);
    void setSelectedSize(std::optional<std::int64_t> size);
    /// Not all values are shown.
    bool hasValueWindow() const { return m_values.has_value(); }
    void showAllValues();

signals:
    /// To look at these sizes; nothing for all of them.
    void sizesAsked(std::optional<batchpeak::ui::AxisRange> sizes);
    /// To look at everything in both charts.
    void wholeAsked();
    void valueWindowChanged();
    /// A person chose a size, or none any more.
    void sizeChosen(std::optional<std::int64_t> size);

protected:
    /// What the callout says of a point, and the value at which the point lies; nothing where it is not
    /// drawn.
    virtual QStringList calloutLines(const MeasuredPoint& point) const = 0;
    virtual std::optional<double> valueOf(const MeasuredPoint& point) const = 0;

    std::vector<std::int64_t> places() const override;
    void showHovered(std::optional<std::int64_t> place) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

    /// Where the axis of all sizes ends, or before it the wall.
    double lastFittingSize() const;
    /// The markers of trials that run, and of those that ran out of memory.
    MarkersOverlay::Markers trialsWithoutMeasurement() const;
    /// The smallest and the largest size that was measured; nothing before one was.
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
    /// What a callout should not hide.
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

/// The speed over the size, in the quantity of the scene: what each trial measured, what all trials of a size
/// say of it with its 95 % interval, and the fitted curve with its band from the 5 % to the 95 % quantile,
/// paler, and dashed where nothing was measured.
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
    /// The model curve as it is drawn: the means of narrow strips of the size axis.
    std::vector<ModelPoint> curveInStrips() const;
    /// Pixels by the number of a comparison.
    std::map<int, double> shiftsOfComparisons() const;
    std::vector<MarkersOverlay::Joint> joints(const std::map<int, double>& shifts) const;
    static QString againstText(const MeasuredPoint& point, const ComparedSizes& compared);
    /// Half of the interval that is drawn at a trial: none where all trials of its size have one together.
    double halfShownOf(const MeasuredPoint& point) const;
    /// A ring has it, and what stands at its size.
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
    /// Below all that was measured, among it, above it.
    std::array<QLineSeries*, 3> m_curves;
};

/// Peak memory over the size, with the device limit, the headroom and the straight line that predicts
/// the rest (a curve on a logarithmic axis), paler, and dashed where nothing was measured.
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

/// Keeps the two charts in step: one axis of sizes, one part of it that a person looks at, one selected size,
/// one quantity, one legend. It draws again only what has changed.
///
/// What a person chose to look at stays, however the exploration goes on, until the whole is asked for or
/// another exploration begins.
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
    /// \param logarithmic  else the sizes are spread evenly, from 0
    void setLogarithmic(bool logarithmic);
    /// What speeds are shown in, wherever it can be told; else samples/s.
    void setQuantity(engine::SpeedQuantity quantity);
    /// Marks a size in both charts and brings it into view, without a word to anyone.
    void setSelectedSize(std::optional<std::int64_t> size);
    std::optional<std::int64_t> selectedSize() const { return m_selected; }
    /// The charts show less than there is.
    bool isZoomed() const;
    void showWhole();

    const ChartScene& scene() const { return *m_scene; }
    /// "GiB" or "MiB": what the memory chart's numbers are.
    const engine::MemoryUnit& memoryUnit() const { return m_scene->unit; }

signals:
    /// A person selected a size in a chart, or none any more.
    void sizeSelected(std::optional<std::int64_t> size);
    void zoomChanged(bool zoomed);
    /// Other quantities can be told, or another is shown.
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
    /// The sizes that a person looks at; nothing for all.
    std::optional<AxisRange> m_zoom;
    std::optional<std::int64_t> m_selected;
};

} // namespace batchpeak::ui
