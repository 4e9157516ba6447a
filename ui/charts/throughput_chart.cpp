// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "throughput_chart.h"

#include "marks_overlay.h"
#include "plot_canvas.h"
#include "zones_overlay.h"

#include <QtCharts/QAreaSeries>
#include <QtCharts/QLineSeries>

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchpeak::ui {

namespace {

// A band may be many times as high as what was measured, before much is known; it must not press the
// measurements onto the axis.
constexpr double mostBandAboveMeasured = 1.5;
// Across the whole axis, some ten pixels each: what the drawn paths of the search differ by from one size
// to the next within them is their own noise, and no knowledge of these sizes.
constexpr double strips = 80.0;

} // namespace

class ThroughputChart::Series : public QObject
{
public:
    explicit Series(PlotCanvas& canvas, QObject* parent)
        : QObject(parent),
          upper(new QLineSeries(this)),
          lower(new QLineSeries(this)),
          band(new QAreaSeries(upper, lower)),
          curve(new QLineSeries)
    {
        canvas.addSeries(band);
        canvas.addSeries(curve);
    }

    QLineSeries* upper;
    QLineSeries* lower;
    QAreaSeries* band;
    QLineSeries* curve;
};

ThroughputChart::ThroughputChart(QWidget* parent) : ChartFrame(parent), m_series(new Series(canvas(), this))
{
    setAccessibleName(tr("Throughput chart"));
}

double ThroughputChart::largestValue() const
{
    double measured = 0.0;
    for (const auto& point : scene().points) {
        const double half =
            engine::standardErrorsOf95Percent * point.relativeError.value_or(0.0) * point.samplesPerSecond;
        measured = std::max(measured, point.samplesPerSecond + half);
    }
    double largest = measured;
    for (const auto& point : scene().curve) {
        if (point.size > axisRange().maximum || (scene().wall > 0.0 && point.size > scene().wall))
            break;
        largest = std::max({largest, std::min(point.samplesPerSecond, 3.0 * measured),
                            std::min(point.high, mostBandAboveMeasured * measured)});
    }
    return largest;
}

std::vector<ModelPoint> ThroughputChart::curveInStrips() const
{
    const double begin = axisRange().minimum;
    const double end = scene().wall > 0.0 ? std::min(scene().wall, axisRange().maximum) : axisRange().maximum;
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
    m_series->upper->replace(upper);
    m_series->lower->replace(lower);
    m_series->curve->replace(middle);

    QColor faint = canvas().theme().throughput;
    m_series->curve->setPen(QPen(faint, 2.0));
    faint.setAlpha(canvas().theme().bandAlpha);
    m_series->band->setPen(Qt::NoPen);
    m_series->band->setBrush(faint);
}

void ThroughputChart::drawMarks()
{
    const Theme& theme = canvas().theme();
    MarksOverlay::Marks drawn;
    for (const auto& point : scene().points) {
        drawn.rings.push_back(
            {.size = static_cast<double>(point.size),
             .value = point.samplesPerSecond,
             .half = engine::standardErrorsOf95Percent * point.relativeError.value_or(0.0) *
                     point.samplesPerSecond,
             .colour = point.kind == MeasuredPoint::Kind::Plain ? theme.throughput : theme.warn,
             .superseded = !point.newest});
    }
    for (const std::int64_t size : scene().failed)
        drawn.crosses.push_back({static_cast<double>(size), theme.mutedText});
    for (const std::int64_t size : scene().outOfMemory)
        drawn.crosses.push_back({static_cast<double>(size), theme.bad});
    for (const std::int64_t size : scene().running)
        drawn.running.push_back(static_cast<double>(size));
    if (const auto& lead = scene().lead) {
        drawn.lead = {.size = static_cast<double>(lead->size),
                      .value = lead->samplesPerSecond,
                      .colour = lead->recommended ? theme.good : theme.warn,
                      .label = (lead->recommended ? tr("recommended %1") : tr("leading %1")).arg(lead->size)};
    }
    drawn.wall = scene().wall;
    drawn.wallLabel = scene().wallSeen ? tr("out of memory") : tr("out of memory, predicted");
    drawn.wallShortLabel = tr("OOM");
    drawn.emptyText = tr("No size measured");
    marks().setMarks(std::move(drawn));
}

void ThroughputChart::drawScene()
{
    canvas().setLargestValue(largestValue());
    canvas().setValuesVisible(!scene().points.empty());
    zones().setZones(scene().headroomFrom, scene().wall);
    drawCurve();
    drawMarks();
    setAccessibleDescription(throughputSummary(scene()));
}

QStringList ThroughputChart::hoverLines(const MeasuredPoint& point) const
{
    QStringList lines{tr("size %1").arg(point.size),
                      tr("%1 samples/s").arg(engine::rateText(point.samplesPerSecond, point.relativeError))};
    lines << (point.relativeError ? tr("mean ± 95 %, %1").arg(engine::stepsText(point.steps))
                                  : tr("mean of %1").arg(engine::stepsText(point.steps)));
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

} // namespace batchpeak::ui
