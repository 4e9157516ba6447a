// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plot_widget.h"
#include "run_plot.h"
#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

class QLineSeries;

namespace batchpeak::ui {

class RunLegend;
class RunMarkersOverlay;

/// Chart of one quantity of a training run over its steps. It draws a RunPlot and decides nothing; RunCharts
/// synchronizes several.
///
/// However many steps there are, it draws only as many points as a screen can show.
class RunChart : public PlotWidget
{
    Q_OBJECT

public:
    explicit RunChart(RunPlot::Quantity quantity, const QString& name, QWidget* parent = nullptr);

    /// \param plot  plot of the quantity of this chart
    void setPlot(RunPlot plot, const AxisRange& range);

protected:
    void drawScene() override;
    std::vector<std::int64_t> places() const override;
    void showHovered(std::optional<std::int64_t> place) override;

private:
    void drawLines();
    void drawMarkers();
    QLineSeries* line(std::size_t place);
    void scaleValues();
    std::vector<QRectF> obstaclesAround(double step) const;

    RunPlot m_plot;
    /// At least as many as the plot has lines; the rest are empty.
    std::vector<QLineSeries*> m_lines;
    RunMarkersOverlay* m_markers;
};

/// Synchronizes the three charts of a training run over one axis of steps. It redraws only what has changed.
class RunCharts : public PlotGroup
{
    Q_OBJECT

public:
    struct Part
    {
        RunChart* chart = nullptr;
        RunLegend* legend = nullptr;
    };

    RunCharts(const Part& loss, const Part& rate, const Part& schedule, QObject* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param earlier  runs that are drawn beneath it
    void display(const training::TrainingSnapshot& snapshot, const std::vector<ComparedRun>& earlier = {});

private:
    std::array<Part, 3> m_parts;
};

} // namespace batchpeak::ui
