// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "theme/theme.h"

#include <QObject>

#include <cstdint>
#include <optional>

namespace batchpeak::ui {

class ChartFrame;
class ChartKey;
class MemoryChart;
class ThroughputChart;

/// Keeps the two charts in step: one size axis, one left margin, one hovered size, one key. It draws
/// again only what has changed.
class ChartPair : public QObject
{
    Q_OBJECT

public:
    ChartPair(ThroughputChart* throughput, MemoryChart* memory, ChartKey* key, QObject* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot);
    /// Else the sizes are spread evenly, from 0.
    void setLogarithmic(bool logarithmic);
    bool isLogarithmic() const { return m_logarithmic; }

    /// "GiB" or "MiB": what the memory chart's numbers are.
    const engine::MemoryUnit& memoryUnit() const { return m_scene.unit; }

private:
    void draw();
    void alignMargins();
    void hover(std::optional<std::int64_t> size);

    ThroughputChart* m_throughput;
    MemoryChart* m_memory;
    ChartKey* m_key;
    ChartScene m_scene;
    bool m_logarithmic = true;
};

} // namespace batchpeak::ui
