// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plot_frame.h"
#include "run_plot.h"

#include <memory>
#include <vector>

namespace batchpeak::ui {

class RunMarksOverlay;

/// One quantity of a training run over its steps. It draws a RunPlot and decides nothing; RunCharts keeps
/// several in step.
///
/// However many steps there are, it draws only as many points as a screen can show.
class RunChart : public PlotFrame
{
    Q_OBJECT

public:
    explicit RunChart(RunPlot::Quantity quantity, const QString& name, QWidget* parent = nullptr);
    ~RunChart() override;

    /// \param plot  of the quantity of this chart
    void setPlot(RunPlot plot, const AxisRange& range);

protected:
    void drawScene() override;
    std::vector<std::int64_t> places() const override;
    void showHovered(std::optional<std::int64_t> place) override;

private:
    void drawLines();
    void drawMarks();
    void scaleValues();
    std::vector<QRectF> obstaclesAround(double step) const;

    RunPlot m_plot;
    class Lines;
    std::unique_ptr<Lines> m_lines;
    RunMarksOverlay* m_marks;
};

} // namespace batchpeak::ui
