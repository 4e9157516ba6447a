// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_charts.h"

#include "callout.h"
#include "chart_overlay.h"
#include "legend.h"
#include "plot_canvas.h"

#include <QtCharts/QLineSeries>

#include <QFontMetrics>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace batchpeak::ui {

namespace {

// Columns of a line, each with its smallest and its largest value. The plot of a window of 1440 px is about
// 900 px wide; Qt Charts takes 4 ms for a line of 1,000 points, and 35 ms for one of 10,000 (Qt 6.4.2).
constexpr int maxColumns = 500;
// Columns of an earlier run, which is less prominent.
constexpr int earlierColumns = 200;
// Columns of dots, which are five pixels wide if there are many.
constexpr int dotColumns = 60;
// Columns of what the callout should not cover: a value every ten pixels or so.
constexpr int obstacleColumns = 100;
// Distance to the left and right of the hovered step within which the callout avoids data.
constexpr double obstaclePixels = 240.0;

bool isStairs(RunPlot::Look look)
{
    return look == RunPlot::Look::Stairs || look == RunPlot::Look::DashedStairs ||
           look == RunPlot::Look::Predicted;
}

std::vector<StepValue> drawnOf(const RunPlot::Series& series)
{
    if (isStairs(series.look))
        return stairsOf(series.values);
    return thinned(series.values, series.pattern ? earlierColumns : maxColumns);
}

constexpr int minRightMargin = 12;

constexpr double runDotPixels = 9.0;
constexpr double glyphPixels = 12.0;
// More large dots would touch, so that they are drawn smaller.
constexpr std::size_t maxLargeDots = 40;
constexpr double smallArm = 2.5;
constexpr double largeArm = 4.5;
constexpr double markLabelGap = 4.0;
// Alpha of the ground of a label: lines stay visible behind it, and do not obscure it.
constexpr int labelGround = 200;

} // namespace

/// All that is drawn at single steps of a chart of a run: dots, markers, the hovered step and its values.
class RunMarkersOverlay : public ChartOverlay
{
public:
    struct Point
    {
        double step = 0.0;
        double value = 0.0;
        QColor color;
    };

    /// Text beside the point at which a line ends.
    struct Label
    {
        double step = 0.0;
        double value = 0.0;
        QString text;
    };

    explicit RunMarkersOverlay(PlotCanvas* canvas);

    void setMarkers(std::vector<Point> dots, std::vector<RunPlot::Marker> markers);
    void setLabels(std::vector<Label> labels);
    /// \param points  points of the hovered step, drawn filled
    void setHovered(std::optional<double> step, std::vector<Point> points);
    /// Sets the text that is shown in the middle while nothing is drawn.
    void setEmptyText(const QString& text);

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintLabels(QPainter& painter) const;

    std::vector<Label> m_labels;
    std::vector<Point> m_dots;
    std::vector<RunPlot::Marker> m_markers;
    std::optional<double> m_hoveredStep;
    std::vector<Point> m_hoveredPoints;
    QString m_emptyText;
};

RunMarkersOverlay::RunMarkersOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::OverSeries) {}

void RunMarkersOverlay::setMarkers(std::vector<Point> dots, std::vector<RunPlot::Marker> markers)
{
    m_dots = std::move(dots);
    m_markers = std::move(markers);
    update();
}

void RunMarkersOverlay::setLabels(std::vector<Label> labels)
{
    m_labels = std::move(labels);
    update();
}

void RunMarkersOverlay::setHovered(std::optional<double> step, std::vector<Point> points)
{
    m_hoveredStep = step;
    m_hoveredPoints = std::move(points);
    update();
}

void RunMarkersOverlay::setEmptyText(const QString& text)
{
    m_emptyText = text;
    update();
}

void RunMarkersOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Theme& theme = canvas().theme();
    painter->setRenderHint(QPainter::Antialiasing);
    paintInTheMiddle(*painter, m_emptyText);
    if (m_hoveredStep)
        paintVertical(*painter, *m_hoveredStep, QPen(theme.mutedText, 1.0));
    const double arm = m_dots.size() > maxLargeDots ? smallArm : largeArm;
    for (const Point& dot : m_dots)
        paintDiamond(*painter, canvas().positionOf(dot.step, dot.value), dot.color, theme.card, arm);
    paintLabels(*painter);
    for (const Point& point : m_hoveredPoints) {
        painter->setPen(QPen(theme.card, 1.5));
        painter->setBrush(point.color);
        painter->drawEllipse(canvas().positionOf(point.step, point.value), runDotPixels / 2.0,
                             runDotPixels / 2.0);
    }
    for (const RunPlot::Marker& marker : m_markers) {
        const QPointF center = canvas().positionOf(static_cast<double>(marker.step), marker.value);
        const QSizeF size(glyphPixels, glyphPixels);
        const QRectF box(center - QPointF(glyphPixels, glyphPixels) / 2.0, size);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.card);
        painter->drawEllipse(box.adjusted(-1, -1, 1, 1));
        paintGlyph(*painter, marker.glyph, box, colorOf(marker.tone, theme));
    }
}

void RunMarkersOverlay::paintLabels(QPainter& painter) const
{
    const QFontMetricsF metrics(labelFont());
    const QRectF area = canvas().plotArea();
    std::vector<std::pair<QRectF, QString>> boxes;
    for (const Label& label : m_labels) {
        const QPointF end = canvas().positionOf(label.step, label.value);
        const double width = metrics.horizontalAdvance(label.text);
        // Above the end, where other lines are rare: a run that continues does so at the same height.
        const double left = std::min(end.x() + markLabelGap, area.right() - width);
        boxes.emplace_back(QRectF(left, end.y() - metrics.height() - markLabelGap, width, metrics.height()),
                           label.text);
    }
    std::ranges::sort(boxes, {}, [](const auto& box) { return box.first.top(); });
    double free = area.top();
    for (auto& [box, text] : boxes) {
        box.moveTop(std::clamp(box.top(), free, std::max(free, area.bottom() - box.height())));
        free = box.bottom();
        painter.fillRect(box.adjusted(-1, 1, 1, -1), withAlpha(canvas().theme().card, labelGround));
        painter.setFont(labelFont());
        painter.setPen(canvas().theme().mutedText);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

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

QLineSeries* RunChart::line(std::size_t place)
{
    while (m_lines.size() <= place) {
        m_lines.push_back(new QLineSeries);
        canvas().addSeries(m_lines.back());
    }
    return m_lines[place];
}

void RunChart::drawLines()
{
    const Theme& theme = canvas().theme();
    std::size_t drawn = 0;
    for (const auto& series : m_plot.series) {
        if (series.look == RunPlot::Look::Dots)
            continue;
        QList<QPointF> points;
        for (const StepValue& value : drawnOf(series))
            points.append({static_cast<double>(value.step), value.value});
        QLineSeries* const line = this->line(drawn++);
        // The lines of earlier runs do not change, and replacing their points takes as long as drawing them.
        if (line->points() != points)
            line->replace(points);
        QPen pen(theme.*series.hue, penWidthOf(series), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
        if (const auto dashes = dashesOf(series); !dashes.isEmpty())
            pen.setDashPattern(dashes);
        line->setPen(pen);
    }
    for (; drawn < m_lines.size(); ++drawn)
        m_lines[drawn]->clear();
}

void RunChart::drawMarkers()
{
    const Theme& theme = canvas().theme();
    std::vector<RunMarkersOverlay::Point> dots;
    std::vector<RunMarkersOverlay::Label> labels;
    for (const auto& series : m_plot.series) {
        if (series.pattern && !series.values.empty()) {
            const StepValue& last = series.values.back();
            labels.push_back({static_cast<double>(last.step), last.value, series.name});
        }
        const bool isOnePoint = series.values.size() == 1 && series.look != RunPlot::Look::Predicted;
        if (series.look != RunPlot::Look::Dots && !isOnePoint)
            continue;
        for (const StepValue& value : thinned(series.values, dotColumns))
            dots.push_back({static_cast<double>(value.step), value.value, theme.*series.hue});
    }
    m_markers->setMarkers(std::move(dots), m_plot.markers);
    m_markers->setLabels(std::move(labels));
}

std::vector<std::int64_t> RunChart::places() const
{
    std::vector<std::int64_t> steps;
    for (const auto& series : m_plot.series) {
        // Evaluations follow steps, and predictions are of steps, so that neither adds a step.
        if (series.look == RunPlot::Look::Dots || series.look == RunPlot::Look::Predicted)
            continue;
        const auto before = static_cast<std::ptrdiff_t>(steps.size());
        for (const StepValue& value : series.values)
            steps.push_back(value.step);
        std::ranges::inplace_merge(steps, steps.begin() + before);
    }
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

std::vector<QRectF> RunChart::obstaclesAround(double step) const
{
    const double here = canvas().positionOf(step, canvas().topValue()).x();
    std::vector<QRectF> obstacles;
    for (const auto& series : m_plot.series) {
        for (const StepValue& value : thinned(series.values, obstacleColumns)) {
            const QPointF center = canvas().positionOf(static_cast<double>(value.step), value.value);
            if (std::abs(center.x() - here) < obstaclePixels)
                obstacles.emplace_back(center - QPointF(6, 6), QSizeF(12, 12));
        }
    }
    return obstacles;
}

void RunChart::showHovered(std::optional<std::int64_t> place)
{
    std::vector<RunMarkersOverlay::Point> points;
    std::ptrdiff_t present = 0;
    for (const auto& series : m_plot.series) {
        if (!place || series.look == RunPlot::Look::DashedLine || series.look == RunPlot::Look::Predicted)
            continue;
        const auto value = series.valueAt(*place);
        if (!value)
            continue;
        // The callout is placed beside the present run's point, if it has one.
        points.insert(series.pattern ? points.end() : points.begin() + present++,
                      {static_cast<double>(*place), *value, canvas().theme().*series.hue});
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

void RunCharts::display(const training::TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier)
{
    const AxisRange range = stepRangeOf(snapshot, earlier);
    std::array plots{lossPlot(snapshot, earlier), ratePlot(snapshot, earlier),
                     schedulePlot(snapshot, earlier)};
    for (std::size_t i = 0; i < plots.size(); ++i) {
        m_parts[i].legend->setPlot(plots[i]);
        m_parts[i].chart->setPlot(std::move(plots[i]), range);
    }
    // Half of the last label is to the right of the plot.
    const QFontMetrics metrics(m_parts.front().chart->font());
    setRightMargin(std::max(minRightMargin,
                            metrics.horizontalAdvance(QLocale().toString(range.maximum, 'f', 0)) / 2 + 2));
}

} // namespace batchpeak::ui
