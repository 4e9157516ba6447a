// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_chart.h"

#include "limits_overlay.h"
#include "marks_overlay.h"
#include "plot_canvas.h"
#include "zones_overlay.h"

#include <QtCharts/QLineSeries>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

// Straight in memory, curved on a logarithmic axis: so many pieces look smooth.
constexpr int pieces = 120;
// Below it, limit and headroom leave no room for the peaks.
constexpr int leastHeight = 142;

} // namespace

MemoryChart::MemoryChart(QWidget* parent)
    : ChartFrame(parent), m_line(new QLineSeries), m_limits(new LimitsOverlay(&canvas()))
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
        largest = std::max(largest, scene().constantBytes + scene().bytesPerSample * lineEnd());
    if (scene().limitBytes <= 0.0)
        return largest;
    if (largest > 0.0 && largest < leastShareOfLimit * scene().limitBytes)
        return largest * 1.2;
    return std::max(largest, scene().limitBytes);
}

double MemoryChart::lineEnd() const
{
    return scene().wall > 0.0 ? std::min(scene().wall, axisRange().maximum) : axisRange().maximum;
}

void MemoryChart::drawLine()
{
    QList<QPointF> points;
    if (scene().bytesPerSample > 0.0) {
        const double begin = std::max(1.0, axisRange().minimum);
        const double end = lineEnd();
        for (int piece = 0; piece <= pieces; ++piece) {
            const double size = begin * std::pow(end / begin, static_cast<double>(piece) / pieces);
            points.append({size, scene().unit.of(scene().constantBytes + scene().bytesPerSample * size)});
        }
    }
    m_line->replace(points);
    m_line->setPen(QPen(canvas().theme().memory, 2.0));
}

void MemoryChart::drawMarks()
{
    const Theme& theme = canvas().theme();
    MarksOverlay::Marks drawn;
    for (const auto& point : scene().points) {
        if (point.peakBytes > 0.0)
            drawn.rings.push_back(
                {.size = static_cast<double>(point.size),
                 .value = valueOf(point),
                 .colour = point.kind == MeasuredPoint::Kind::Plain ? theme.memory : theme.warn,
                 .superseded = !point.newest});
    }
    for (const std::int64_t size : scene().outOfMemory)
        drawn.crosses.push_back({static_cast<double>(size), theme.bad});
    if (scene().limitBytes > 0.0)
        drawn.crossValue = scene().unit.of(scene().limitBytes);
    for (const std::int64_t size : scene().running)
        drawn.running.push_back(static_cast<double>(size));
    if (const auto& lead = scene().lead; lead && lead->peakBytes > 0.0) {
        drawn.lead = {.size = static_cast<double>(lead->size),
                      .value = scene().unit.of(lead->peakBytes),
                      .colour = lead->recommended ? theme.good : theme.warn};
    }
    marks().setMarks(std::move(drawn));
}

void MemoryChart::drawScene()
{
    canvas().setLargestValue(scene().unit.of(largestValue()));
    canvas().setValuesVisible(!scene().points.empty() || scene().limitBytes > 0.0);
    zones().setZones(scene().headroomFrom, scene().wall);
    m_limits->setScene(scene());
    drawLine();
    drawMarks();
    setAccessibleDescription(memorySummary(scene()));
}

QStringList MemoryChart::hoverLines(const MeasuredPoint& point) const
{
    return {tr("%1 %2").arg(engine::memoryText(point.peakBytes, scene().unit), scene().unit.name)};
}

double MemoryChart::valueOf(const MeasuredPoint& point) const
{
    return scene().unit.of(point.peakBytes);
}

} // namespace batchpeak::ui
