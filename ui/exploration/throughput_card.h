// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "widgets/card.h"

class QMenu;
class QToolButton;

namespace batchpeak::ui {

class ExplorationCharts;
class ExplorationLegend;
class PhaseStrip;
class ThroughputChart;

/// The card of the throughput chart: above the chart the quantity that speeds are shown in, a way back where
/// a part of the charts is looked at, and the legend; below it the parts of a step, as long as there is room.
class ThroughputCard : public Card
{
    Q_OBJECT

public:
    explicit ThroughputCard(QWidget* parent = nullptr);

    ThroughputChart* chart() const { return m_chart; }
    ExplorationLegend* legend() const { return m_legend; }
    PhaseStrip* phases() const { return m_phases; }

    /// Shows how the charts stand, and changes them as a person asks here.
    void follow(ExplorationCharts* charts);
    void setTheme(const Theme& theme);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void offerQuantities();
    void showPhasesWhereTheyFit();

    ExplorationCharts* m_charts = nullptr;
    QToolButton* m_quantity;
    QMenu* m_quantities;
    QToolButton* m_whole;
    ExplorationLegend* m_legend;
    ThroughputChart* m_chart;
    PhaseStrip* m_phases;
};

} // namespace batchpeak::ui
