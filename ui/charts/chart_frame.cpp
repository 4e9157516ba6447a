// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_frame.h"

#include "hover_box.h"
#include "marks_overlay.h"
#include "plot_canvas.h"
#include "zones_overlay.h"

#include <algorithm>
#include <set>
#include <utility>

namespace batchpeak::ui {

ChartFrame::ChartFrame(QWidget* parent)
    : PlotFrame(parent), m_zones(new ZonesOverlay(&canvas())), m_marks(new MarksOverlay(&canvas()))
{}

void ChartFrame::setScene(const ChartScene& scene, const AxisRange& range, bool logarithmic)
{
    m_scene = scene;
    m_range = range;
    m_isLogarithmic = logarithmic;
    canvas().setAxisRange(logarithmic ? range : AxisRange{.minimum = 0.0, .maximum = range.maximum},
                          logarithmic);
    drawScene();
    updateHover();
}

const MeasuredPoint* ChartFrame::newestOf(std::int64_t size) const
{
    const auto found = std::ranges::find_if(
        m_scene.points, [&](const MeasuredPoint& point) { return point.size == size && point.newest; });
    return found == m_scene.points.end() ? nullptr : &*found;
}

std::vector<std::int64_t> ChartFrame::places() const
{
    std::set<std::int64_t> sizes;
    for (const auto& point : m_scene.points)
        sizes.insert(point.size);
    return {sizes.begin(), sizes.end()};
}

void ChartFrame::showHovered(std::optional<std::int64_t> place)
{
    const MeasuredPoint* point = place ? newestOf(*place) : nullptr;
    if (!point) {
        m_marks->setHoveredSize(std::nullopt);
        box().hideBox();
        return;
    }
    const auto size = static_cast<double>(point->size);
    m_marks->setHoveredSize(size);
    std::vector<QRectF> obstacles = m_marks->labelBoxes();
    for (const auto& other : m_scene.points) {
        const QPointF centre = canvas().positionOf(static_cast<double>(other.size), valueOf(other));
        obstacles.emplace_back(centre - QPointF(9, 9), QSizeF(18, 18));
    }
    box().showAt(canvas().positionOf(size, valueOf(*point)), hoverLines(*point), std::move(obstacles));
}

} // namespace batchpeak::ui
