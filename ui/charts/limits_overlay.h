// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_overlay.h"
#include "chart_scene.h"

#include <memory>
#include <vector>

namespace batchpeak::ui {

/// The sizes that cannot be recommended: a plain amber zone where they reach into the headroom, a hatched red
/// zone where they exceed the limit.
class ZonesOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    explicit ZonesOverlay(PlotCanvas* canvas);

    void setZones(const engine::MemoryZones& zones);

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    engine::MemoryZones m_zones;
};

/// The lines across the memory chart: the device limit with its label above, the headroom with its label
/// below, so that the labels never meet. A limit far above all peaks is stated at the top instead of
/// squeezing the peaks against the axis.
class LimitsOverlay : public ChartOverlay
{
    Q_OBJECT

public:
    explicit LimitsOverlay(PlotCanvas* canvas);

    void setScene(std::shared_ptr<const ChartScene> scene);

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void drawLabel(QPainter& painter, const QString& text, const QColor& color, double y, bool above) const;
    std::vector<QRectF> obstacles() const;

    std::shared_ptr<const ChartScene> m_scene;
};

} // namespace batchpeak::ui
