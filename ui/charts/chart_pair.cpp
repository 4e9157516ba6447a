// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_pair.h"

#include "chart_key.h"
#include "memory_chart.h"
#include "throughput_chart.h"

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int rightMargin = 12;

} // namespace

ChartPair::ChartPair(ThroughputChart* throughput, MemoryChart* memory, ChartKey* key, QObject* parent)
    : QObject(parent), m_throughput(throughput), m_memory(memory), m_key(key)
{
    for (ChartFrame* chart : {static_cast<ChartFrame*>(throughput), static_cast<ChartFrame*>(memory)}) {
        connect(chart, &ChartFrame::placePointedAt, this, &ChartPair::hover);
        connect(chart, &ChartFrame::geometryChanged, this, &ChartPair::alignMargins);
    }
    draw();
}

void ChartPair::setTheme(const Theme& theme)
{
    m_throughput->setTheme(theme);
    m_memory->setTheme(theme);
    m_key->setTheme(theme);
}

void ChartPair::display(const engine::Snapshot& snapshot)
{
    ChartScene scene = chartSceneOf(snapshot);
    if (scene == m_scene)
        return;
    m_scene = std::move(scene);
    draw();
}

void ChartPair::setLogarithmic(bool logarithmic)
{
    if (logarithmic == m_logarithmic)
        return;
    m_logarithmic = logarithmic;
    draw();
}

void ChartPair::draw()
{
    const AxisRange range = sizeRangeOf(m_scene);
    m_throughput->setScene(m_scene, range, m_logarithmic);
    m_memory->setScene(m_scene, range, m_logarithmic);
    m_key->setScene(m_scene);
    alignMargins();
}

void ChartPair::alignMargins()
{
    const int left = std::max(m_throughput->neededLeftMargin(), m_memory->neededLeftMargin());
    m_throughput->setSideMargins(left, rightMargin);
    m_memory->setSideMargins(left, rightMargin);
}

void ChartPair::hover(std::optional<std::int64_t> size)
{
    m_throughput->setHoveredPlace(size);
    m_memory->setHoveredPlace(size);
}

} // namespace batchpeak::ui
