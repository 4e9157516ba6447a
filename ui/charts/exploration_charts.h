// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "markers_overlay.h"
#include "plot_widget.h"
#include "theme/theme.h"

#include <cstdint>
#include <optional>
#include <vector>

class QAreaSeries;
class QLineSeries;

namespace batchpeak::ui {

class ExplorationLegend;
class LimitsOverlay;
class ZonesOverlay;

/// What both charts of an exploration are: a plot of some quantity over the micro-batch size. It draws a
/// ChartScene and decides nothing; ExplorationCharts keeps both in step.
class ExplorationChart : public PlotWidget
{
    Q_OBJECT

public:
    explicit ExplorationChart(QWidget* parent = nullptr);

    void setScene(const ChartScene& scene, const AxisRange& range, bool logarithmic);

protected:
    /// What the callout says of a point, and the value at which the point lies.
    virtual QStringList calloutLines(const MeasuredPoint& point) const = 0;
    virtual double valueOf(const MeasuredPoint& point) const = 0;

    std::vector<std::int64_t> places() const override;
    void showHovered(std::optional<std::int64_t> place) override;

    /// Where the axis ends, or before it the wall.
    double lastFittingSize() const;
    /// The markers of trials that run, and of those that ran out of memory.
    MarkersOverlay::Markers trialsWithoutMeasurement() const;

    const ChartScene& scene() const { return m_scene; }
    const AxisRange& axisRange() const { return m_range; }
    bool isLogarithmic() const { return m_isLogarithmic; }
    /// Null for a size that was not measured.
    const MeasuredPoint* newestOf(std::int64_t size) const;
    MarkersOverlay& markers() const { return *m_markers; }
    ZonesOverlay& zones() const { return *m_zones; }

private:
    ChartScene m_scene;
    AxisRange m_range;
    bool m_isLogarithmic = true;
    ZonesOverlay* m_zones;
    MarkersOverlay* m_markers;
};

/// Samples per second over the size: what was measured, with its 95 % intervals, and the fitted curve
/// with its band from the 5 % to the 95 % quantile.
class ThroughputChart : public ExplorationChart
{
    Q_OBJECT

public:
    explicit ThroughputChart(QWidget* parent = nullptr);

protected:
    void drawScene() override;
    QStringList calloutLines(const MeasuredPoint& point) const override;
    double valueOf(const MeasuredPoint& point) const override;

private:
    /// The model curve as it is drawn: the means of narrow strips of the size axis.
    std::vector<ModelPoint> curveInStrips() const;
    MarkersOverlay::Joint jointOf(const ComparedSizes& compared) const;
    static QString againstText(const MeasuredPoint& point, const ComparedSizes& compared);
    void drawCurve();
    void drawMarkers();
    double largestValue() const;

    QLineSeries* m_upper;
    QLineSeries* m_lower;
    QAreaSeries* m_band;
    QLineSeries* m_curve;
};

/// Peak memory over the size, with the device limit, the headroom and the straight line that predicts
/// the rest (a curve on a logarithmic axis).
class MemoryChart : public ExplorationChart
{
    Q_OBJECT

public:
    explicit MemoryChart(QWidget* parent = nullptr);

protected:
    void drawScene() override;
    QStringList calloutLines(const MeasuredPoint& point) const override;
    double valueOf(const MeasuredPoint& point) const override;

private:
    void drawLine();
    void drawMarkers();
    double largestValue() const;

    QLineSeries* m_line;
    LimitsOverlay* m_limits;
};

/// Keeps the two charts in step: one axis of sizes, one legend. It draws again only what has changed.
class ExplorationCharts : public PlotGroup
{
    Q_OBJECT

public:
    ExplorationCharts(ThroughputChart* throughput, MemoryChart* memory, ExplorationLegend* legend,
                      QObject* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot);
    /// \param logarithmic  else the sizes are spread evenly, from 0
    void setLogarithmic(bool logarithmic);

    /// "GiB" or "MiB": what the memory chart's numbers are.
    const engine::MemoryUnit& memoryUnit() const { return m_scene.unit; }

private:
    void draw();

    ThroughputChart* m_throughput;
    MemoryChart* m_memory;
    ExplorationLegend* m_legend;
    ChartScene m_scene;
    bool m_logarithmic = true;
};

} // namespace batchpeak::ui
