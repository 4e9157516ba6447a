// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"

#include <QStringList>

#include <cstdint>
#include <vector>

namespace batchpeak::ui {

/// Line, grid and labels of a logarithmic axis that shows too little for powers of two: Qt Charts supports no
/// other ticks there.
class PlaceTicksOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    explicit PlaceTicksOverlay(PlotCanvas* canvas);

    /// Sets the ticks, ascending; if there are none, nothing is drawn.
    void setTicks(std::vector<std::int64_t> ticks);
    QStringList labels() const;
    /// Returns the centers of the labels, in pixels of the canvas.
    std::vector<double> labelCenters() const;

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    std::vector<std::int64_t> m_ticks;
};

} // namespace batchpeak::ui
