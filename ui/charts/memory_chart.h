// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_frame.h"

class QLineSeries;

namespace batchpeak::ui {

class LimitsOverlay;

/// Peak memory over the size, with the device limit, the headroom and the straight line that predicts
/// the rest (a curve on a logarithmic axis).
class MemoryChart : public ChartFrame
{
    Q_OBJECT

public:
    explicit MemoryChart(QWidget* parent = nullptr);

protected:
    void drawScene() override;
    QStringList hoverLines(const MeasuredPoint& point) const override;
    double valueOf(const MeasuredPoint& point) const override;

private:
    void drawLine();
    void drawMarks();
    double largestValue() const;
    /// The last size for which the line is drawn.
    double lineEnd() const;

    QLineSeries* m_line;
    LimitsOverlay* m_limits;
};

} // namespace batchpeak::ui
