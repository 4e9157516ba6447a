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

/// Card of the throughput chart: above the chart the quantity in which speeds are shown, a button that resets
/// the zoom while the charts are zoomed, and the legend; below it the phases of a step, as long as there is
/// room.
class ThroughputCard : public Card
{
    Q_OBJECT

public:
    explicit ThroughputCard(QWidget* parent = nullptr);

    ThroughputChart* chart() const { return m_chart; }
    ExplorationLegend* legend() const { return m_legend; }
    PhaseStrip* phases() const { return m_phases; }

    /// Shows the state of the charts, and changes it at the user's request.
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
