// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_frame.h"

namespace batchpeak::ui {

/// Samples per second over the size: what was measured, with its 95 % intervals, and the fitted curve
/// with its band from the 5 % to the 95 % quantile.
class ThroughputChart : public ChartFrame
{
    Q_OBJECT

public:
    explicit ThroughputChart(QWidget* parent = nullptr);

protected:
    void drawScene() override;
    QStringList hoverLines(const MeasuredPoint& point) const override;
    double valueOf(const MeasuredPoint& point) const override;

private:
    /// The model curve as it is drawn: the means of narrow strips of the size axis.
    std::vector<ModelPoint> curveInStrips() const;
    void drawCurve();
    void drawMarks();
    double largestValue() const;

    class Series;
    Series* m_series;
};

} // namespace batchpeak::ui
