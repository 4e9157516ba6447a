// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"
#include "run_plot.h"

#include <optional>
#include <vector>

namespace batchpeak::ui {

/// All that is drawn at single steps of a chart of a run: dots, markers, the hovered step and its values.
class RunMarkersOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    struct Point
    {
        double step = 0.0;
        double value = 0.0;
        QColor color;
    };

    /// Text beside the point at which a line ends.
    struct Label
    {
        double step = 0.0;
        double value = 0.0;
        QString text;
    };

    explicit RunMarkersOverlay(PlotCanvas* canvas);

    void setMarkers(std::vector<Point> dots, std::vector<RunPlot::Marker> markers);
    void setLabels(std::vector<Label> labels);
    /// \param points  points of the hovered step, drawn filled
    void setHovered(std::optional<double> step, std::vector<Point> points);
    /// Sets the text that is shown in the middle while nothing is drawn.
    void setEmptyText(const QString& text);

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintLabels(QPainter& painter) const;

    std::vector<Label> m_labels;
    std::vector<Point> m_dots;
    std::vector<RunPlot::Marker> m_markers;
    std::optional<double> m_hoveredStep;
    std::vector<Point> m_hoveredPoints;
    QString m_emptyText;
};

} // namespace batchpeak::ui
