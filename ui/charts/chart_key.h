// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "key_line.h"

namespace batchpeak::ui {

/// The key of the charts of an exploration.
class ChartKey : public KeyLine
{
    Q_OBJECT

public:
    explicit ChartKey(QWidget* parent = nullptr);

    void setScene(const ChartScene& scene);

protected:
    void paintSign(QPainter& painter, int sign, const QRectF& box) const override;
};

} // namespace batchpeak::ui
