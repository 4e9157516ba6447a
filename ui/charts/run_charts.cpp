// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_charts.h"

#include "callout.h"
#include "legend.h"
#include "plot_canvas.h"
#include "run_markers_overlay.h"

#include <QtCharts/QLineSeries>

#include <QFontMetrics>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace batchpeak::ui {

namespace {

// Of a line, each with its smallest and its largest value. The plot of a window of 1440 px is about 900 px
// wide; Qt Charts takes 4 ms for a line of 1,000 points, and 35 ms for one of 10,000 (Qt 6.4.2).
constexpr int mostColumns = 500;
// Of dots, which are five pixels wide where there are many.
constexpr int dotColumns = 60;
// Of what the callout should not hide: a value every ten pixels or so.
constexpr int obstacleColumns = 100;
// Left and right of the hovered step, what the box should not hide.
constexpr double obstaclePixels = 240.0;

bool isStairs(RunPlot::Look look)
{
    return look == RunPlot::Look::Stairs || look == RunPlot::Look::DashedStairs;
}

std::vector<StepValue> drawnOf(const RunPlot::Series& series)
{
    return isStairs(series.look) ? stairsOf(series.values) : thinned(series.values, mostColumns);
}

constexpr int leastRightMargin = 12;

} // namespace

RunChart::RunChart(RunPlot::Quantity quantity, const QString& name, QWidget* parent)
    : PlotWidget(parent), m_plot{.quantity = quantity}, m_markers(new RunMarkersOverlay(&canvas()))
{
    setAccessibleName(name);
    if (quantity == RunPlot::Quantity::Size)
        canvas().setLogarithmicValues();
}

void RunChart::setPlot(RunPlot plot, const AxisRange& range)
{
    canvas().setAxisRange(range, false);
    if (plot == m_plot && !m_plot.series.empty())
        return;
    m_plot = std::move(plot);
    drawScene();
    updateHover();
}

void RunChart::drawScene()
{
    scaleValues();
    drawLines();
    drawMarkers();
    setAccessibleDescription(runPlotSummary(m_plot));
}

void RunChart::scaleValues()
{
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    const auto take = [&](double value) {
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
    };
    for (const auto& series : m_plot.series) {
        for (const StepValue& value : series.values)
            take(value.value);
    }
    for (const auto& marker : m_plot.markers)
        take(marker.value);
    const bool isEmpty = !std::isfinite(smallest);
    canvas().setValuesVisible(!isEmpty);
    if (isEmpty)
        canvas().setValueRange(0.0, 1.0);
    else if (m_plot.quantity == RunPlot::Quantity::Rate)
        canvas().setValueRange(0.0, largest);
    else
        canvas().setValueRange(std::max(0.0, smallest), largest);
    m_markers->setEmptyText(isEmpty ? tr("No step done") : QString());
}

void RunChart::drawLines()
{
    const Theme& theme = canvas().theme();
    for (std::size_t i = 0; i < m_plot.series.size(); ++i) {
        const auto& series = m_plot.series[i];
        if (series.look == RunPlot::Look::Dots)
            continue;
        QList<QPointF> points;
        for (const StepValue& value : drawnOf(series))
            points.append({static_cast<double>(value.step), value.value});
        while (m_lines.size() <= i) {
            m_lines.push_back(new QLineSeries);
            canvas().addSeries(m_lines.back());
        }
        QLineSeries* line = m_lines[i];
        line->replace(points);
        line->setPen(QPen(theme.*series.hue, series.look == RunPlot::Look::DashedLine ? 1.2 : 2.0,
                          isDashed(series.look) ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    }
}

void RunChart::drawMarkers()
{
    const Theme& theme = canvas().theme();
    std::vector<RunMarkersOverlay::Point> dots;
    for (const auto& series : m_plot.series) {
        const bool isOnePoint = series.values.size() == 1;
        if (series.look != RunPlot::Look::Dots && !isOnePoint)
            continue;
        for (const StepValue& value : thinned(series.values, dotColumns))
            dots.push_back({static_cast<double>(value.step), value.value, theme.*series.hue});
    }
    m_markers->setMarkers(std::move(dots), m_plot.markers);
}

std::vector<std::int64_t> RunChart::places() const
{
    std::vector<std::int64_t> steps;
    if (m_plot.series.empty())
        return steps;
    for (const StepValue& value : m_plot.series.front().values)
        steps.push_back(value.step);
    return steps;
}

std::vector<QRectF> RunChart::obstaclesAround(double step) const
{
    const double here = canvas().positionOf(step, canvas().topValue()).x();
    std::vector<QRectF> obstacles;
    for (const auto& series : m_plot.series) {
        for (const StepValue& value : thinned(series.values, obstacleColumns)) {
            const QPointF centre = canvas().positionOf(static_cast<double>(value.step), value.value);
            if (std::abs(centre.x() - here) < obstaclePixels)
                obstacles.emplace_back(centre - QPointF(6, 6), QSizeF(12, 12));
        }
    }
    return obstacles;
}

void RunChart::showHovered(std::optional<std::int64_t> place)
{
    std::vector<RunMarkersOverlay::Point> points;
    for (const auto& series : m_plot.series) {
        if (!place || series.look == RunPlot::Look::DashedLine)
            continue;
        if (const auto value = series.valueAt(*place))
            points.push_back({static_cast<double>(*place), *value, canvas().theme().*series.hue});
    }
    if (points.empty()) {
        m_markers->setHovered(std::nullopt, {});
        callout().hideCallout();
        return;
    }
    const auto step = static_cast<double>(*place);
    callout().showAt(canvas().positionOf(step, points.front().value), linesAt(m_plot, *place),
                     [this, step] { return obstaclesAround(step); });
    m_markers->setHovered(step, std::move(points));
}

RunCharts::RunCharts(const Part& loss, const Part& rate, const Part& schedule, QObject* parent)
    : PlotGroup({loss.chart, rate.chart, schedule.chart}, parent), m_parts{loss, rate, schedule}
{
    schedule.chart->setAxisTitle(tr("step"));
    display({});
}

void RunCharts::setTheme(const Theme& theme)
{
    for (const Part& part : m_parts) {
        part.chart->setTheme(theme);
        part.legend->setTheme(theme);
    }
}

void RunCharts::display(const training::TrainingSnapshot& snapshot)
{
    const AxisRange range = stepRangeOf(snapshot);
    std::array plots{lossPlot(snapshot), ratePlot(snapshot), schedulePlot(snapshot)};
    for (std::size_t i = 0; i < plots.size(); ++i) {
        m_parts[i].legend->setPlot(plots[i]);
        m_parts[i].chart->setPlot(std::move(plots[i]), range);
    }
    // Half of the last label stands right of the plot.
    const QFontMetrics metrics(m_parts.front().chart->font());
    setRightMargin(std::max(leastRightMargin,
                            metrics.horizontalAdvance(QLocale().toString(range.maximum, 'f', 0)) / 2 + 2));
}

} // namespace batchpeak::ui
