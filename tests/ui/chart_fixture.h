// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/exploration_charts.h"
#include "sample_snapshots.h"
#include "sample_windows.h"

#include <QAbstractScrollArea>
#include <QObject>
#include <QStandardPaths>

namespace batchpeak::test {

/// Returns the widget that receives a chart's mouse events.
inline QWidget* viewportOf(ui::ExplorationChart* chart)
{
    return chart->findChild<QAbstractScrollArea*>()->viewport();
}

/// Base of the tests of both charts: a window with a running exploration. After each test function, the
/// exploration is displayed again without zoom.
class ChartFixture : public QObject
{
    Q_OBJECT

protected:
    QList<ui::ExplorationChart*> charts() const { return {m_throughput, m_memory}; }
    ui::ExplorationCharts* pair() const { return m_window.findChild<ui::ExplorationCharts*>(); }
    double xOf(double size) const { return m_throughput->positionOf(size, 0.0).x(); }
    QPointF middle() const { return m_throughput->plotArea().center(); }

    SampleWindow m_window{ui::Theme::light(), QSize(1440, 900)};
    ui::ThroughputChart* m_throughput = m_window.findChild<ui::ThroughputChart*>();
    ui::MemoryChart* m_memory = m_window.findChild<ui::MemoryChart*>();
    const engine::Snapshot m_running = runningSnapshot();

protected slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        m_window.display(m_running);
        m_window.grab();
    }

    void cleanup()
    {
        pair()->showWhole();
        pair()->setSelectedSize(std::nullopt);
        pair()->setQuantity(engine::SpeedQuantity::SamplesPerSecond);
        m_window.view()->setLogarithmic(true);
        m_window.display(m_running);
    }
};

} // namespace batchpeak::test
