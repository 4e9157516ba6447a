// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "key_line.h"
#include "run_plot.h"

namespace batchpeak::ui {

/// The key of one chart of a training run.
class RunKey : public KeyLine
{
    Q_OBJECT

public:
    explicit RunKey(const QString& name, QWidget* parent = nullptr);

    void setPlot(const RunPlot& plot);

protected:
    void paintSign(QPainter& painter, int sign, const QRectF& box) const override;

private:
    /// Without their values: one for each entry, series first.
    std::vector<RunPlot::Series> m_series;
    std::vector<RunPlot::Mark> m_marks;
};

} // namespace batchpeak::ui
