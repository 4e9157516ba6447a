// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_charts.h"

#include "run_chart.h"
#include "run_key.h"

#include <QFontMetrics>
#include <QLocale>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int leastRightMargin = 12;

} // namespace

RunCharts::RunCharts(const Part& loss, const Part& rate, const Part& schedule, QObject* parent)
    : QObject(parent), m_parts{loss, rate, schedule}
{
    for (const Part& part : m_parts) {
        connect(part.chart, &RunChart::geometryChanged, this, &RunCharts::alignMargins);
        connect(part.chart, &RunChart::placePointedAt, this, [this](std::optional<std::int64_t> step) {
            for (const Part& other : m_parts)
                other.chart->setHoveredPlace(step);
        });
    }
    schedule.chart->setAxisTitle(tr("step"));
    display({});
}

void RunCharts::setTheme(const Theme& theme)
{
    for (const Part& part : m_parts) {
        part.chart->setTheme(theme);
        part.key->setTheme(theme);
    }
}

void RunCharts::display(const training::TrainingSnapshot& snapshot)
{
    const AxisRange range = stepRangeOf(snapshot);
    // Half of the last label stands right of the plot.
    const QFontMetrics metrics(m_parts.front().chart->font());
    m_rightMargin = std::max(leastRightMargin,
                             metrics.horizontalAdvance(QLocale().toString(range.maximum, 'f', 0)) / 2 + 2);
    std::array plots{lossPlot(snapshot), ratePlot(snapshot), schedulePlot(snapshot)};
    for (std::size_t i = 0; i < plots.size(); ++i) {
        m_parts[i].key->setPlot(plots[i]);
        m_parts[i].chart->setPlot(std::move(plots[i]), range);
    }
    alignMargins();
}

void RunCharts::alignMargins()
{
    int left = 0;
    for (const Part& part : m_parts)
        left = std::max(left, part.chart->neededLeftMargin());
    for (const Part& part : m_parts)
        part.chart->setSideMargins(left, m_rightMargin);
}

} // namespace batchpeak::ui
