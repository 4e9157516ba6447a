// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_charts.h"

#include "callout.h"
#include "engine/comparison_text.h"
#include "engine/readable_text.h"
#include "legend.h"
#include "limits_overlay.h"
#include "markers_overlay.h"
#include "plot_canvas.h"

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace batchpeak::ui {

namespace {

// A band may be many times as high as what was measured, before much is known; it must not press the
// measurements onto the axis.
constexpr double mostBandAboveMeasured = 1.5;
// Across the whole axis, some ten pixels each: what the drawn paths of the search differ by from one size
// to the next within them is their own noise, and no knowledge of these sizes.
constexpr double strips = 80.0;
// Of the memory line. Straight in memory, curved on a logarithmic axis: so many pieces look smooth.
constexpr int pieces = 120;
// Of the memory chart. Below it, limit and headroom leave no room for the peaks.
constexpr int leastHeight = 142;
// Of both charts.
constexpr int rightMargin = 12;

} // namespace

ExplorationChart::ExplorationChart(QWidget* parent)
    : PlotWidget(parent), m_zones(new ZonesOverlay(&canvas())), m_markers(new MarkersOverlay(&canvas()))
{}

void ExplorationChart::setScene(const ChartScene& scene, const AxisRange& range, bool logarithmic)
{
    m_scene = scene;
    m_range = range;
    m_isLogarithmic = logarithmic;
    canvas().setAxisRange(logarithmic ? range : AxisRange{.minimum = 0.0, .maximum = range.maximum},
                          logarithmic);
    drawScene();
    updateHover();
}

const MeasuredPoint* ExplorationChart::newestOf(std::int64_t size) const
{
    const auto found = std::ranges::find_if(
        m_scene.points, [&](const MeasuredPoint& point) { return point.size == size && point.newest; });
    return found == m_scene.points.end() ? nullptr : &*found;
}

double ExplorationChart::lastFittingSize() const
{
    return m_scene.memoryZones.wall > 0.0 ? std::min(m_scene.memoryZones.wall, m_range.maximum)
                                          : m_range.maximum;
}

MarkersOverlay::Markers ExplorationChart::trialsWithoutMeasurement() const
{
    MarkersOverlay::Markers drawn;
    for (const std::int64_t size : m_scene.outOfMemory)
        drawn.crosses.push_back({static_cast<double>(size), canvas().theme().bad});
    for (const std::int64_t size : m_scene.running)
        drawn.running.push_back(static_cast<double>(size));
    return drawn;
}

std::vector<std::int64_t> ExplorationChart::places() const
{
    std::set<std::int64_t> sizes;
    for (const auto& point : m_scene.points)
        sizes.insert(point.size);
    return {sizes.begin(), sizes.end()};
}

void ExplorationChart::showHovered(std::optional<std::int64_t> place)
{
    const MeasuredPoint* point = place ? newestOf(*place) : nullptr;
    if (!point) {
        m_markers->setHoveredSize(std::nullopt);
        callout().hideCallout();
        return;
    }
    const auto size = static_cast<double>(point->size);
    m_markers->setHoveredSize(size);
    std::vector<QRectF> obstacles = m_markers->labelBoxes();
    for (const auto& other : m_scene.points) {
        const QPointF centre = canvas().positionOf(static_cast<double>(other.size), valueOf(other));
        obstacles.emplace_back(centre - QPointF(9, 9), QSizeF(18, 18));
    }
    callout().showAt(canvas().positionOf(size, valueOf(*point)), calloutLines(*point), std::move(obstacles));
}

ThroughputChart::ThroughputChart(QWidget* parent)
    : ExplorationChart(parent),
      m_upper(new QLineSeries(this)),
      m_lower(new QLineSeries(this)),
      m_band(new QAreaSeries(m_upper, m_lower)),
      m_curve(new QLineSeries)
{
    canvas().addSeries(m_band);
    canvas().addSeries(m_curve);
    setAccessibleName(tr("Throughput chart"));
}

double ThroughputChart::largestValue() const
{
    double measured = 0.0;
    for (const auto& point : scene().points) {
        measured = std::max(measured, point.samplesPerSecond + point.halfInterval());
    }
    double largest = measured;
    for (const auto& point : scene().curve) {
        if (point.size > axisRange().maximum ||
            (scene().memoryZones.wall > 0.0 && point.size > scene().memoryZones.wall))
            break;
        largest = std::max({largest, std::min(point.samplesPerSecond, 3.0 * measured),
                            std::min(point.high, mostBandAboveMeasured * measured)});
    }
    return largest;
}

std::vector<ModelPoint> ThroughputChart::curveInStrips() const
{
    const double begin = axisRange().minimum;
    const double end = lastFittingSize();
    const auto stripOf = [&](double size) {
        const double share = isLogarithmic() ? std::log(size / begin) / std::log(axisRange().maximum / begin)
                                             : size / axisRange().maximum;
        return static_cast<int>(share * strips);
    };
    std::vector<ModelPoint> means;
    int strip = -1;
    double members = 0.0;
    for (const auto& point : scene().curve) {
        if (point.size < begin || point.size > end)
            continue;
        if (stripOf(point.size) != strip) {
            strip = stripOf(point.size);
            members = 0.0;
            means.push_back({.size = 0.0});
        }
        ModelPoint& mean = means.back();
        members += 1.0;
        mean.size += (point.size - mean.size) / members;
        mean.samplesPerSecond += (point.samplesPerSecond - mean.samplesPerSecond) / members;
        mean.low += (point.low - mean.low) / members;
        mean.high += (point.high - mean.high) / members;
    }
    return means;
}

void ThroughputChart::drawCurve()
{
    QList<QPointF> upper;
    QList<QPointF> lower;
    QList<QPointF> middle;
    for (const ModelPoint& point : curveInStrips()) {
        upper.append({point.size, point.high});
        lower.append({point.size, std::max(0.0, point.low)});
        middle.append({point.size, point.samplesPerSecond});
    }
    m_upper->replace(upper);
    m_lower->replace(lower);
    m_curve->replace(middle);

    const Theme& theme = canvas().theme();
    m_curve->setPen(QPen(theme.throughput, 2.0));
    m_band->setPen(Qt::NoPen);
    m_band->setBrush(withAlpha(theme.throughput, theme.bandAlpha));
}

MarkersOverlay::Joint ThroughputChart::jointOf(const ComparedSizes& compared) const
{
    MarkersOverlay::Joint joint{.superseded = true};
    for (const MeasuredPoint& point : scene().points) {
        if (point.comparison != compared.number)
            continue;
        joint.points.append({static_cast<double>(point.size), point.samplesPerSecond});
        joint.superseded = joint.superseded && !point.newest;
    }
    std::ranges::sort(joint.points, {}, &QPointF::x);
    return joint;
}

void ThroughputChart::drawMarkers()
{
    using Shape = MarkersOverlay::Ring::Shape;
    const Theme& theme = canvas().theme();
    MarkersOverlay::Markers drawn = trialsWithoutMeasurement();
    for (const auto& point : scene().points) {
        drawn.rings.push_back(
            {.size = static_cast<double>(point.size),
             .value = point.samplesPerSecond,
             .half = point.halfInterval(),
             .colour = point.kind == MeasuredPoint::Kind::Plain ? theme.throughput : theme.warn,
             .superseded = !point.newest,
             .shape = point.comparison > 0 ? Shape::Diamond : Shape::Circle});
    }
    for (const ComparedSizes& compared : scene().comparisons)
        drawn.joints.push_back(jointOf(compared));
    // Out of memory lies above.
    for (const std::int64_t size : scene().failed)
        drawn.crosses.insert(drawn.crosses.begin(), {static_cast<double>(size), theme.mutedText});
    if (const auto& lead = scene().lead) {
        drawn.lead = {.size = static_cast<double>(lead->size),
                      .value = lead->samplesPerSecond,
                      .colour = lead->recommended ? theme.good : theme.warn,
                      .label = (lead->recommended ? tr("recommended %1") : tr("leading %1")).arg(lead->size)};
    }
    drawn.wall = scene().memoryZones.wall;
    drawn.wallLabel = scene().memoryZones.wallSeen ? tr("out of memory") : tr("out of memory, predicted");
    drawn.wallShortLabel = tr("OOM");
    drawn.emptyText = tr("No size measured");
    markers().setMarkers(std::move(drawn));
}

void ThroughputChart::drawScene()
{
    canvas().setValueRange(0.0, largestValue());
    canvas().setValuesVisible(!scene().points.empty());
    zones().setZones(scene().memoryZones);
    drawCurve();
    drawMarkers();
    setAccessibleDescription(throughputSummary(scene()));
}

/// What the interval of a size is against, in its comparison.
QString ThroughputChart::againstText(const MeasuredPoint& point, const ComparedSizes& compared)
{
    std::vector<std::int64_t> others = compared.sizes;
    std::erase(others, point.size);
    const QString sizes = engine::sizesText(others);
    return point.relativeError ? tr("± 95 % against %1").arg(sizes) : tr("compared with %1").arg(sizes);
}

QStringList ThroughputChart::calloutLines(const MeasuredPoint& point) const
{
    QStringList lines{tr("size %1").arg(point.size),
                      tr("%1 samples/s").arg(engine::rateText(point.samplesPerSecond, point.relativeError))};
    if (const ComparedSizes* compared = scene().comparison(point.comparison))
        lines << againstText(point, *compared);
    else if (point.comparison > 0)
        lines << tr("comparison cut short");
    else
        lines << (point.relativeError ? tr("mean ± 95 %, %1").arg(engine::stepsText(point.steps))
                                      : tr("mean of %1").arg(engine::stepsText(point.steps)));
    if (const ComparedSizes* compared = scene().newestComparisonOf(point.size))
        lines << compared->contrast;
    const auto trials = std::ranges::count(scene().points, point.size, &MeasuredPoint::size);
    if (trials > 1)
        lines << tr("newest of %1").arg(engine::trialsText(static_cast<int>(trials)));
    if (point.kind == MeasuredPoint::Kind::AboveHeadroom)
        lines << tr("above the headroom");
    if (point.kind == MeasuredPoint::Kind::Thrashes)
        lines << tr("thrashes");
    if (point.disturbed)
        lines << tr("disturbed");
    return lines;
}

double ThroughputChart::valueOf(const MeasuredPoint& point) const
{
    return point.samplesPerSecond;
}

MemoryChart::MemoryChart(QWidget* parent)
    : ExplorationChart(parent), m_line(new QLineSeries), m_limits(new LimitsOverlay(&canvas()))
{
    canvas().addSeries(m_line);
    canvas().setAxisTitle(tr("micro-batch size"));
    setAccessibleName(tr("Peak memory chart"));
    setMinimumHeight(leastHeight);
}

double MemoryChart::largestValue() const
{
    double largest = 0.0;
    for (const auto& point : scene().points)
        largest = std::max(largest, point.peakBytes);
    if (largest > 0.0 && scene().bytesPerSample > 0.0)
        largest = std::max(largest, scene().constantBytes + scene().bytesPerSample * lastFittingSize());
    return scene().isLimitFarAbove(largest) ? largest * 1.2 : std::max(largest, scene().limitBytes);
}

void MemoryChart::drawLine()
{
    QList<QPointF> points;
    if (scene().bytesPerSample > 0.0) {
        const double begin = std::max(1.0, axisRange().minimum);
        const double end = lastFittingSize();
        for (int piece = 0; piece <= pieces; ++piece) {
            const double size = begin * std::pow(end / begin, static_cast<double>(piece) / pieces);
            points.append({size, scene().unit.of(scene().constantBytes + scene().bytesPerSample * size)});
        }
    }
    m_line->replace(points);
    m_line->setPen(QPen(canvas().theme().memory, 2.0));
}

void MemoryChart::drawMarkers()
{
    const Theme& theme = canvas().theme();
    MarkersOverlay::Markers drawn = trialsWithoutMeasurement();
    for (const auto& point : scene().points) {
        // Peaks are the same in each trial of a size, and a paler one would only blur the newest.
        const bool isHidden = !point.newest && newestOf(point.size)->peakBytes == point.peakBytes;
        if (point.peakBytes > 0.0 && !isHidden)
            drawn.rings.push_back(
                {.size = static_cast<double>(point.size),
                 .value = valueOf(point),
                 .colour = point.kind == MeasuredPoint::Kind::Plain ? theme.memory : theme.warn,
                 .superseded = !point.newest});
    }
    if (scene().limitBytes > 0.0)
        drawn.crossValue = scene().unit.of(scene().limitBytes);
    if (const auto& lead = scene().lead; lead && lead->peakBytes > 0.0) {
        drawn.lead = {.size = static_cast<double>(lead->size),
                      .value = scene().unit.of(lead->peakBytes),
                      .colour = lead->recommended ? theme.good : theme.warn};
    }
    markers().setMarkers(std::move(drawn));
}

void MemoryChart::drawScene()
{
    canvas().setValueRange(0.0, scene().unit.of(largestValue()));
    canvas().setValuesVisible(!scene().points.empty() || scene().limitBytes > 0.0);
    zones().setZones(scene().memoryZones);
    m_limits->setScene(scene());
    drawLine();
    drawMarkers();
    setAccessibleDescription(memorySummary(scene()));
}

QStringList MemoryChart::calloutLines(const MeasuredPoint& point) const
{
    return {tr("%1 %2").arg(engine::memoryText(point.peakBytes, scene().unit), scene().unit.name)};
}

double MemoryChart::valueOf(const MeasuredPoint& point) const
{
    return scene().unit.of(point.peakBytes);
}

ExplorationCharts::ExplorationCharts(ThroughputChart* throughput, MemoryChart* memory,
                                     ExplorationLegend* legend, QObject* parent)
    : PlotGroup({throughput, memory}, parent), m_throughput(throughput), m_memory(memory), m_legend(legend)
{
    draw();
}

void ExplorationCharts::setTheme(const Theme& theme)
{
    m_throughput->setTheme(theme);
    m_memory->setTheme(theme);
    m_legend->setTheme(theme);
}

void ExplorationCharts::display(const engine::Snapshot& snapshot)
{
    ChartScene scene = chartSceneOf(snapshot);
    if (scene == m_scene)
        return;
    m_scene = std::move(scene);
    draw();
}

void ExplorationCharts::setLogarithmic(bool logarithmic)
{
    if (logarithmic == m_logarithmic)
        return;
    m_logarithmic = logarithmic;
    draw();
}

void ExplorationCharts::draw()
{
    const AxisRange range = sizeRangeOf(m_scene);
    m_throughput->setScene(m_scene, range, m_logarithmic);
    m_memory->setScene(m_scene, range, m_logarithmic);
    m_legend->setScene(m_scene);
    setRightMargin(rightMargin);
}

} // namespace batchpeak::ui
