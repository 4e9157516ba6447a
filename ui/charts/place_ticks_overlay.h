// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"

#include <QStringList>

#include <cstdint>
#include <vector>

namespace batchpeak::ui {

/// Line, grid and labels of a logarithmic axis that shows too little of it for powers of two: Qt Charts knows
/// no others there.
class PlaceTicksOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    explicit PlaceTicksOverlay(PlotCanvas* canvas);

    /// Ascending; none draws nothing.
    void setTicks(std::vector<std::int64_t> ticks);
    QStringList labels() const;
    /// Middles of the labels, in pixels of the canvas.
    std::vector<double> labelCenters() const;

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    std::vector<std::int64_t> m_ticks;
};

} // namespace batchpeak::ui
