// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_charts.h"

#include "callout.h"
#include "legend.h"
#include "limits_overlay.h"
#include "markers_overlay.h"
#include "phase_strip.h"
#include "plot_canvas.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace batchpeak::ui {

namespace {

// While little is known, the band may be many times as high as the measurements; it must not squeeze them
// against the axis.
constexpr double maxBandAboveMeasured = 1.5;
// Number of strips across the whole axis, some ten pixels each. The paths drawn by the search vary within a
// strip from one size to the next, but that is noise of the paths and says nothing about these sizes.
constexpr double strips = 80.0;
// Pieces of the memory line. It is linear in memory, so curved on a logarithmic axis: with this many pieces
// it looks smooth.
constexpr int pieces = 120;
// Minimum height of the memory chart. Below it, limit and headroom leave no room for the peaks.
constexpr int minHeight = 142;
// Margin of both charts.
constexpr int rightMargin = 12;
// Fraction of the card's color in a model line, which otherwise has the color of the measurements.
constexpr double shareOfCard = 0.4;
constexpr double believedWidth = 1.6;
// Shift between comparisons of the same size, so that they are side by side [pixels].
constexpr double shiftPixels = 6.0;
constexpr int maxShifts = 2;

enum Stretch { Below, Among, Above };

QPen believedPen(const QColor& color, const Theme& theme, std::size_t stretch)
{
    // Opaque, since a translucent pen of Qt Charts has darker joints.
    QPen pen(mixed(color, theme.card, shareOfCard), believedWidth, Qt::SolidLine, Qt::FlatCap);
    if (stretch != Among)
        pen.setDashPattern({4.0, 3.0});
    return pen;
}

/// Splits a line at the smallest and the largest measured size; each split point belongs to both of its
/// parts.
std::array<QList<QPointF>, 3> inStretches(const QList<QPointF>& line,
                                          const std::optional<AxisRange>& measured)
{
    std::array<QList<QPointF>, 3> stretches;
    if (!measured) {
        stretches[Above] = line;
        return stretches;
    }
    const auto cutAt = [](const QPointF& a, const QPointF& b, double x) {
        return QPointF(x, a.y() + (b.y() - a.y()) * (x - a.x()) / (b.x() - a.x()));
    };
    const auto stretchOf = [&](double x) {
        return x < measured->minimum ? Below : x > measured->maximum ? Above : Among;
    };
    for (qsizetype i = 0; i < line.size(); ++i) {
        const int here = stretchOf(line[i].x());
        for (int before = i > 0 ? stretchOf(line[i - 1].x()) : here; before < here; ++before) {
            const double end = before == Below ? measured->minimum : measured->maximum;
            const QPointF cut = cutAt(line[i - 1], line[i], end);
            stretches[static_cast<std::size_t>(before)].append(cut);
            stretches[static_cast<std::size_t>(before) + 1].append(cut);
        }
        stretches[static_cast<std::size_t>(here)].append(line[i]);
    }
    return stretches;
}

/// Replaces points only if they differ, since Qt Charts redraws after each replacement.
template<typename Series>
void replaceIfNew(Series* series, const QList<QPointF>& points)
{
    if (series->points() != points)
        series->replace(points);
}

void drawBelieved(const std::array<QLineSeries*, 3>& series, const QList<QPointF>& line,
                  const std::optional<AxisRange>& measured, const QColor& color, const Theme& theme)
{
    const auto stretches = inStretches(line, measured);
    for (std::size_t stretch = 0; stretch < series.size(); ++stretch) {
        replaceIfNew(series[stretch], stretches[stretch]);
        series[stretch]->setPen(believedPen(color, theme, stretch));
    }
}

/// Returns "forward 31 ms", and the other phases.
QString phasesText(const StepPhases& phases)
{
    const auto text = [](const QString& name, double seconds) {
        const double milliseconds = 1e3 * seconds;
        const int decimals = milliseconds < 9.95 ? 1 : 0;
        return QStringLiteral("%1 %2").arg(name, QLocale().toString(milliseconds, 'f', decimals));
    };
    QStringList parts{text(ThroughputChart::tr("forward"), phases.forwardSeconds)};
    if (phases.backwardSeconds > 0.0)
        parts << text(ThroughputChart::tr("backward"), phases.backwardSeconds);
    if (phases.reductionSeconds > 0.0)
        parts << text(ThroughputChart::tr("reduction"), phases.reductionSeconds);
    if (phases.optimizerSeconds > 0.0)
        parts << text(ThroughputChart::tr("optimizer"), phases.optimizerSeconds);
    return ThroughputChart::tr("%1 ms").arg(parts.join(QStringLiteral(", ")));
}

} // namespace

ThroughputChart::ThroughputChart(QWidget* parent)
    : ExplorationChart(parent),
      m_upper(new QLineSeries(this)),
      m_lower(new QLineSeries(this)),
      m_band(new QAreaSeries(m_upper, m_lower)),
      m_curves{new QLineSeries, new QLineSeries, new QLineSeries}
{
    canvas().addSeries(m_band);
    for (QLineSeries* curve : m_curves)
        canvas().addSeries(curve);
    setAccessibleName(tr("Throughput chart"));
}

double ThroughputChart::halfShownOf(const MeasuredPoint& point) const
{
    const ReckonedSize* reckoned = scene().reckonedOf(point.size);
    return reckoned && scene().valueOf(*reckoned) ? 0.0 : point.halfInterval();
}

QColor ThroughputChart::hueOf(const MeasuredPoint& point) const
{
    const Theme& theme = canvas().theme();
    return point.kind == MeasuredPoint::Kind::Plain ? theme.throughput : theme.warn;
}

double ThroughputChart::largestValue() const
{
    double measured = 0.0;
    for (const auto& point : scene().points)
        measured = std::max(measured, point.value.value_or(0.0) + halfShownOf(point));
    double largest = measured;
    for (const auto& size : scene().reckoned) {
        const double value = scene().valueOf(size).value_or(0.0);
        const double top = value + scene().halfIntervalOf(size);
        largest = std::max({largest, value, std::min(top, maxBandAboveMeasured * measured)});
    }
    if (!scene().modelFactor)
        return largest;
    const double factor = *scene().modelFactor;
    for (const auto& point : scene().curve) {
        if (point.size > lastFittingSize())
            break;
        largest = std::max({largest, std::min(factor * point.samplesPerSecond, 3.0 * measured),
                            std::min(factor * point.high, maxBandAboveMeasured * measured)});
    }
    return largest;
}

std::vector<ModelPoint> ThroughputChart::curveInStrips() const
{
    const AxisRange& shown = shownSizes();
    const auto& curve = scene().curve;
    // Includes one point beyond each end, so that the line reaches it.
    auto begin = std::ranges::lower_bound(curve, shown.minimum, {}, &ModelPoint::size);
    auto end =
        std::ranges::upper_bound(curve, std::min(shown.maximum, lastFittingSize()), {}, &ModelPoint::size);
    if (begin != curve.begin() && shown.minimum > axis().whole.minimum)
        --begin;
    if (end != curve.end() && shown.maximum < lastFittingSize())
        ++end;
    const auto stripOf = [&](double size) {
        const double share = axis().logarithmic
                                 ? std::log(size / shown.minimum) / std::log(shown.maximum / shown.minimum)
                                 : (size - shown.minimum) / (shown.maximum - shown.minimum);
        return static_cast<int>(std::floor(share * strips));
    };
    std::vector<ModelPoint> means;
    int strip = 0;
    double members = 0.0;
    for (auto point = begin; point < end; ++point) {
        if (members == 0.0 || stripOf(point->size) != strip) {
            strip = stripOf(point->size);
            members = 0.0;
            means.push_back({.size = 0.0});
        }
        ModelPoint& mean = means.back();
        members += 1.0;
        mean.size += (point->size - mean.size) / members;
        mean.samplesPerSecond += (point->samplesPerSecond - mean.samplesPerSecond) / members;
        mean.low += (point->low - mean.low) / members;
        mean.high += (point->high - mean.high) / members;
    }
    return means;
}

void ThroughputChart::drawCurve()
{
    QList<QPointF> upper;
    QList<QPointF> lower;
    QList<QPointF> middle;
    if (const auto factor = scene().modelFactor) {
        for (const ModelPoint& point : curveInStrips()) {
            upper.append({point.size, *factor * point.high});
            lower.append({point.size, *factor * std::max(0.0, point.low)});
            middle.append({point.size, *factor * point.samplesPerSecond});
        }
    }
    const Theme& theme = canvas().theme();
    replaceIfNew(m_upper, upper);
    replaceIfNew(m_lower, lower);
    m_band->setPen(Qt::NoPen);
    m_band->setBrush(withAlpha(theme.throughput, theme.bandAlpha));
    drawBelieved(m_curves, middle, measuredSizes(), theme.throughput, theme);
}

std::map<int, double> ThroughputChart::shiftsOfComparisons() const
{
    std::map<int, double> shifts;
    // Number of later comparisons that are at a size already.
    std::map<std::int64_t, int> taken;
    for (auto compared = scene().comparisons.rbegin(); compared != scene().comparisons.rend(); ++compared) {
        int before = 0;
        for (const std::int64_t size : compared->sizes)
            before = std::max(before, taken[size]++);
        const int step = std::min((before + 1) / 2, maxShifts);
        shifts[compared->number] = (before % 2 == 1 ? -1.0 : 1.0) * step * shiftPixels;
    }
    return shifts;
}

std::vector<MarkersOverlay::Joint> ThroughputChart::joints(const std::map<int, double>& shifts) const
{
    std::map<int, MarkersOverlay::Joint> joints;
    for (const MeasuredPoint& point : scene().points) {
        const auto shift = shifts.find(point.comparison);
        if (shift == shifts.end() || !point.value)
            continue;
        auto& joint = joints
                          .try_emplace(point.comparison,
                                       MarkersOverlay::Joint{.superseded = true, .shift = shift->second})
                          .first->second;
        joint.points.append({static_cast<double>(point.size), *point.value});
        joint.superseded = joint.superseded && !point.newest;
    }
    std::vector<MarkersOverlay::Joint> inOrder;
    for (auto& [number, joint] : joints) {
        std::ranges::sort(joint.points, {}, &QPointF::x);
        inOrder.push_back(std::move(joint));
    }
    return inOrder;
}

void ThroughputChart::drawMarkers()
{
    using Shape = MarkersOverlay::Ring::Shape;
    const Theme& theme = canvas().theme();
    MarkersOverlay::Markers drawn = trialsWithoutMeasurement();
    const std::map<int, double> shifts = shiftsOfComparisons();
    std::set<std::int64_t> seen;
    for (auto point = scene().points.rbegin(); point != scene().points.rend(); ++point) {
        if (!point->value)
            continue;
        drawn.rings.push_back(
            {.size = static_cast<double>(point->size),
             .value = *point->value,
             .half = halfShownOf(*point),
             .color = hueOf(*point),
             .superseded = !seen.insert(point->size).second || !point->earlier.isEmpty(),
             .shape = point->comparison > 0 ? Shape::Diamond : Shape::Circle,
             .shift = shifts.contains(point->comparison) ? shifts.at(point->comparison) : 0.0});
    }
    std::ranges::reverse(drawn.rings);
    for (const ReckonedSize& size : scene().reckoned) {
        if (const auto value = scene().valueOf(size))
            drawn.reckoned.push_back({.size = static_cast<double>(size.size),
                                      .value = *value,
                                      .half = scene().halfIntervalOf(size),
                                      .color = hueOf(*scene().newestOf(size.size))});
    }
    drawn.joints = joints(shifts);
    // Crosses for out of memory are above the others.
    for (const std::int64_t size : scene().failed)
        drawn.crosses.insert(drawn.crosses.begin(), {static_cast<double>(size), theme.mutedText});
    if (const auto& lead = scene().lead) {
        // If there is no value, the line and the label are drawn nevertheless.
        drawn.lead = {.size = static_cast<double>(lead->size),
                      .value = scene().leadValue().value_or(-1.0),
                      .color = lead->recommended ? theme.good : theme.warn,
                      .label = (lead->recommended ? tr("recommended %1") : tr("leading %1")).arg(lead->size)};
    }
    drawn.wall = scene().memoryZones.wall;
    drawn.wallLabel = scene().memoryZones.wallSeen ? tr("out of memory") : tr("out of memory, predicted");
    drawn.wallShortLabel = tr("OOM");
    drawn.emptyText = scene().points.empty()
                          ? tr("No size measured")
                          : tr("No size measured in %1").arg(engine::unitText(scene().quantity));
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

/// Returns what the interval of a size is relative to, within its comparison.
QString ThroughputChart::againstText(const MeasuredPoint& point, const ComparedSizes& compared)
{
    std::vector<std::int64_t> others = compared.sizes;
    std::erase(others, point.size);
    const QString sizes = engine::sizesText(others);
    return point.relativeError ? tr("± 95 % against %1").arg(sizes) : tr("compared with %1").arg(sizes);
}

QString ThroughputChart::speedText(double value, std::optional<double> relativeError) const
{
    return engine::speedMark(scene().fidelity) + engine::quantityText(scene().quantity, value, relativeError);
}

/// Returns the speed of the point's size, and the speed of the point itself if that differs.
QStringList ThroughputChart::speedLines(const MeasuredPoint& point) const
{
    const QString own = speedText(*point.value, point.valueError);
    const ReckonedSize* reckoned = scene().reckonedOf(point.size);
    const auto value = reckoned ? scene().valueOf(*reckoned) : std::nullopt;
    const QString together = value ? speedText(*value, reckoned->relativeError) : own;
    if (together == own)
        return {own};
    const auto trials =
        static_cast<int>(std::ranges::count(scene().points, point.size, &MeasuredPoint::size));
    return {together, trials > 1 ? tr("newest of %1: %2").arg(engine::trialsText(trials), own)
                                 : tr("this trial alone: %1").arg(own)};
}

/// Returns how often and with what the point was measured, and its other measurements.
QStringList ThroughputChart::detailLines(const MeasuredPoint& point) const
{
    QStringList lines;
    const ReckonedSize* reckoned = scene().reckonedOf(point.size);
    if (const ComparedSizes* compared = scene().comparison(point.comparison))
        lines << againstText(point, *compared);
    else if (point.comparison > 0)
        lines << tr("comparison cut short");
    else
        lines << (point.valueError ? tr("mean ± 95 %, %1").arg(engine::stepsText(point.steps))
                                   : tr("mean of %1").arg(engine::stepsText(point.steps)));
    if (const ComparedSizes* compared = scene().newestComparisonOf(point.size))
        lines << engine::contrastText(compared->contrast);
    if (scene().quantity != engine::SpeedQuantity::SamplesPerSecond)
        lines << tr("%1%2 samples/s")
                     .arg(engine::speedMark(scene().fidelity),
                          reckoned ? engine::rateText(reckoned->samplesPerSecond, reckoned->relativeError)
                                   : engine::rateText(point.samplesPerSecond, point.relativeError));
    if (point.peakBytes > 0.0) {
        const QString mark = engine::memoryMark(scene().fidelity);
        const QString peak = tr("peak %1").arg(mark + engine::memoryText(point.peakBytes));
        lines << (point.allocatedBytes > 0.0
                      ? tr("%1, allocated %2").arg(peak, mark + engine::memoryText(point.allocatedBytes))
                      : peak);
    }
    if (const MeasuredPoint* measured = scene().phasesOf(point.size))
        lines << phasesText(*measured->phases);
    return lines;
}

QStringList ThroughputChart::remarkLines(const MeasuredPoint& point) const
{
    QStringList lines;
    if (!point.earlier.isEmpty())
        lines << tr("measured on %1").arg(point.earlier);
    const auto trials = std::ranges::count(scene().points, point.size, &MeasuredPoint::size);
    if (trials > 1 && speedLines(point).size() == 1)
        lines << tr("newest of %1").arg(engine::trialsText(static_cast<int>(trials)));
    if (point.kind == MeasuredPoint::Kind::AboveHeadroom)
        lines << tr("above the headroom");
    if (point.kind == MeasuredPoint::Kind::Thrashes)
        lines << tr("thrashes");
    if (point.disturbed)
        lines << tr("disturbed");
    return lines;
}

QStringList ThroughputChart::calloutLines(const MeasuredPoint& point) const
{
    return QStringList{tr("size %1").arg(point.size)} + speedLines(point) + detailLines(point) +
           remarkLines(point);
}

std::optional<double> ThroughputChart::valueOf(const MeasuredPoint& point) const
{
    return point.value;
}

MemoryChart::MemoryChart(QWidget* parent)
    : ExplorationChart(parent),
      m_lines{new QLineSeries, new QLineSeries, new QLineSeries},
      m_limits(new LimitsOverlay(&canvas()))
{
    for (QLineSeries* line : m_lines)
        canvas().addSeries(line);
    canvas().setAxisTitle(tr("micro-batch size"));
    setAccessibleName(tr("Peak memory chart"));
    setMinimumHeight(minHeight);
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
        const double begin = std::max(1.0, shownSizes().minimum);
        const double end = std::min(shownSizes().maximum, lastFittingSize());
        for (int piece = 0; piece <= pieces && begin < end; ++piece) {
            const double size = begin * std::pow(end / begin, static_cast<double>(piece) / pieces);
            points.append({size, scene().unit.of(scene().constantBytes + scene().bytesPerSample * size)});
        }
    }
    drawBelieved(m_lines, points, measuredSizes(), canvas().theme().memory, canvas().theme());
}

void MemoryChart::drawMarkers()
{
    const Theme& theme = canvas().theme();
    MarkersOverlay::Markers drawn = trialsWithoutMeasurement();
    std::map<std::int64_t, double> newestPeaks;
    for (const auto& point : scene().points) {
        if (point.newest)
            newestPeaks[point.size] = point.peakBytes;
    }
    for (const auto& point : scene().points) {
        // Peaks are the same in each trial of a size, and a paler ring would only blur the newest one.
        const bool isHidden = !point.newest && newestPeaks[point.size] == point.peakBytes;
        if (point.peakBytes > 0.0 && !isHidden)
            drawn.rings.push_back(
                {.size = static_cast<double>(point.size),
                 .value = scene().unit.of(point.peakBytes),
                 .color = point.kind == MeasuredPoint::Kind::Plain ? theme.memory : theme.warn,
                 .superseded = point.isPale()});
    }
    if (scene().limitBytes > 0.0)
        drawn.crossValue = scene().unit.of(scene().limitBytes);
    if (const auto& lead = scene().lead; lead && lead->peakBytes > 0.0) {
        drawn.lead = {.size = static_cast<double>(lead->size),
                      .value = scene().unit.of(lead->peakBytes),
                      .color = lead->recommended ? theme.good : theme.warn};
    }
    markers().setMarkers(std::move(drawn));
}

void MemoryChart::drawScene()
{
    canvas().setValueRange(0.0, scene().unit.of(largestValue()));
    canvas().setValuesVisible(!scene().points.empty() || scene().limitBytes > 0.0);
    zones().setZones(scene().memoryZones);
    m_limits->setScene(sharedScene());
    drawLine();
    drawMarkers();
    setAccessibleDescription(memorySummary(scene()));
}

QStringList MemoryChart::calloutLines(const MeasuredPoint& point) const
{
    const QString mark = engine::memoryMark(scene().fidelity);
    QStringList lines{
        tr("%1 %2").arg(mark + engine::memoryText(point.peakBytes, scene().unit), scene().unit.name)};
    if (point.allocatedBytes > 0.0)
        lines << tr("%1 allocated").arg(mark + engine::memoryText(point.allocatedBytes, scene().unit));
    return lines;
}

std::optional<double> MemoryChart::valueOf(const MeasuredPoint& point) const
{
    return point.peakBytes > 0.0 ? std::optional(scene().unit.of(point.peakBytes)) : std::nullopt;
}

ExplorationCharts::ExplorationCharts(const Parts& parts, QObject* parent)
    : PlotGroup({parts.throughput, parts.memory}, parent),
      m_parts(parts),
      m_scene(std::make_shared<ChartScene>(chartSceneOf({})))
{
    for (ExplorationChart* chart : charts()) {
        connect(chart, &ExplorationChart::sizesAsked, this, &ExplorationCharts::look);
        connect(chart, &ExplorationChart::wholeAsked, this, &ExplorationCharts::showWhole);
        connect(chart, &ExplorationChart::sizeChosen, this, &ExplorationCharts::select);
        connect(chart, &ExplorationChart::valueWindowChanged, this, [this] { emit zoomChanged(isZoomed()); });
        connect(chart, &PlotWidget::placePointedAt, this, [this](std::optional<std::int64_t> place) {
            if (place)
                reveal(*place);
        });
    }
    draw();
}

std::array<ExplorationChart*, 2> ExplorationCharts::charts() const
{
    return {m_parts.throughput, m_parts.memory};
}

void ExplorationCharts::setTheme(const Theme& theme)
{
    for (ExplorationChart* chart : charts())
        chart->setTheme(theme);
    m_parts.legend->setTheme(theme);
    m_parts.phases->setTheme(theme);
}

void ExplorationCharts::display(const engine::Snapshot& snapshot)
{
    // Another exploration has other sizes.
    if (snapshot.trials.empty() && (m_zoom || m_selected || isZoomed())) {
        showWhole();
        select(std::nullopt);
    }
    auto scene = std::make_shared<ChartScene>(chartSceneOf(snapshot));
    scene->showIn(m_quantity);
    if (*scene == *m_scene)
        return;
    const bool offersOthers = scene->quantity != m_scene->quantity ||
                              !std::ranges::equal(scene->quantities, m_scene->quantities, {},
                                                  &SceneQuantity::explanation, &SceneQuantity::explanation);
    m_scene = std::move(scene);
    draw();
    if (offersOthers)
        emit quantitiesChanged();
}

void ExplorationCharts::setLogarithmic(bool logarithmic)
{
    if (logarithmic == m_logarithmic)
        return;
    m_logarithmic = logarithmic;
    draw();
}

void ExplorationCharts::setQuantity(engine::SpeedQuantity quantity)
{
    m_quantity = quantity;
    if (quantity == m_scene->quantity)
        return;
    auto scene = std::make_shared<ChartScene>(*m_scene);
    scene->showIn(quantity);
    m_scene = std::move(scene);
    // The zoomed range of values does not apply to the new quantity.
    m_parts.throughput->showAllValues();
    draw();
    emit quantitiesChanged();
}

void ExplorationCharts::setSelectedSize(std::optional<std::int64_t> size)
{
    if (size == m_selected)
        return;
    m_selected = size;
    for (ExplorationChart* chart : charts())
        chart->setSelectedSize(size);
    if (size)
        reveal(*size);
    showPhases();
}

void ExplorationCharts::select(std::optional<std::int64_t> size)
{
    if (size == m_selected)
        return;
    setSelectedSize(size);
    emit sizeSelected(size);
}

bool ExplorationCharts::isZoomed() const
{
    return m_zoom || std::ranges::any_of(charts(), &ExplorationChart::hasValueWindow);
}

void ExplorationCharts::showWhole()
{
    for (ExplorationChart* chart : charts())
        chart->showAllValues();
    look(std::nullopt);
}

void ExplorationCharts::look(std::optional<AxisRange> sizes)
{
    if (sizes == m_zoom)
        return;
    m_zoom = sizes;
    draw();
    emit zoomChanged(isZoomed());
}

void ExplorationCharts::reveal(std::int64_t size)
{
    if (!m_zoom)
        return;
    const ExplorationChart::Sizes now = sizes();
    look(now.axis.revealing(now.shown, static_cast<double>(size)));
}

ExplorationChart::Sizes ExplorationCharts::sizes() const
{
    AxisRange whole = sizeRangeOf(*m_scene);
    AxisRange shown = m_zoom.value_or(whole);
    if (!m_logarithmic) {
        whole.minimum = 0.0;
        shown.minimum = m_zoom ? shown.minimum : 0.0;
    } else if (shown.minimum < whole.minimum) {
        // A logarithmic axis has no 0.
        shown.minimum = std::min(whole.minimum, shown.maximum / 2.0);
    }
    return {.axis = {.whole = whole, .logarithmic = m_logarithmic}, .shown = shown};
}

void ExplorationCharts::showPhases()
{
    const auto& lead = m_scene->lead;
    std::optional<std::int64_t> size = m_selected;
    if (!size && lead)
        size = lead->size;
    QString title = tr("Size %1").arg(size.value_or(0));
    if (lead && size == lead->size)
        title = (lead->recommended ? tr("%1, recommended") : tr("%1, leading")).arg(title);
    m_parts.phases->setPhases(*m_scene, size, title);
}

void ExplorationCharts::draw()
{
    const ExplorationChart::Sizes shown = sizes();
    for (ExplorationChart* chart : charts())
        chart->setScene(m_scene, shown);
    m_parts.legend->setScene(*m_scene);
    showPhases();
    setRightMargin(rightMargin);
}

} // namespace batchpeak::ui
