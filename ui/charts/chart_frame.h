// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "plot_frame.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::ui {

class MarksOverlay;
class ZonesOverlay;

/// What both charts of an exploration are: a plot of some quantity over the micro-batch size. ChartPair keeps
/// them in step.
///
/// It draws a ChartScene and decides nothing.
class ChartFrame : public PlotFrame
{
    Q_OBJECT

public:
    explicit ChartFrame(QWidget* parent = nullptr);

    void setScene(const ChartScene& scene, const AxisRange& range, bool logarithmic);

protected:
    /// What the hover box says of a point, and the value at which the point lies.
    virtual QStringList hoverLines(const MeasuredPoint& point) const = 0;
    virtual double valueOf(const MeasuredPoint& point) const = 0;

    std::vector<std::int64_t> places() const override;
    void showHovered(std::optional<std::int64_t> place) override;

    const ChartScene& scene() const { return m_scene; }
    const AxisRange& axisRange() const { return m_range; }
    bool isLogarithmic() const { return m_isLogarithmic; }
    MarksOverlay& marks() const { return *m_marks; }
    ZonesOverlay& zones() const { return *m_zones; }

private:
    const MeasuredPoint* newestOf(std::int64_t size) const;

    ChartScene m_scene;
    AxisRange m_range;
    bool m_isLogarithmic = true;
    ZonesOverlay* m_zones;
    MarksOverlay* m_marks;
};

} // namespace batchpeak::ui
