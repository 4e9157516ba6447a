// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_key.h"

#include "chart_scales.h"

#include <QPainter>

#include <utility>

namespace batchpeak::ui {

namespace {

enum Sign { Measured, Model, Band, Running, Headroom, OutOfMemory };

QColor faint(QColor colour, int alpha)
{
    colour.setAlpha(alpha);
    return colour;
}

} // namespace

ChartKey::ChartKey(QWidget* parent) : KeyLine(parent)
{
    setAccessibleName(tr("Key of the charts"));
}

void ChartKey::setScene(const ChartScene& scene)
{
    std::vector<Entry> entries;
    if (!scene.points.empty())
        entries.push_back({Measured, tr("measured"), tr("measured")});
    if (!scene.curve.empty()) {
        entries.push_back({Model, tr("model"), tr("model")});
        entries.push_back({Band, tr("5–95 % band"), tr("5–95 %")});
    }
    if (!scene.running.empty())
        entries.push_back({Running, tr("running"), tr("running")});
    if (scene.headroomFrom > 0.0 && scene.headroomFrom < sizeRangeOf(scene).maximum)
        entries.push_back({Headroom, tr("headroom"), tr("headroom")});
    if (!scene.outOfMemory.empty())
        entries.push_back({OutOfMemory, tr("out of memory"), tr("OOM")});
    setEntries(std::move(entries));
}

void ChartKey::paintSign(QPainter& painter, int sign, const QRectF& box) const
{
    const QPointF centre = box.center();
    switch (sign) {
    case Measured:
        painter.setPen(QPen(theme().throughput, 1.6));
        painter.drawLine(centre - QPointF(0, 7), centre + QPointF(0, 7));
        painter.setPen(QPen(theme().throughput, 2.0));
        painter.setBrush(theme().card);
        painter.drawEllipse(centre, 4.0, 4.0);
        break;
    case Model:
        painter.setPen(QPen(theme().throughput, 2.0));
        painter.drawLine(QPointF(box.left(), centre.y()), QPointF(box.right(), centre.y()));
        break;
    case Band:
        painter.setPen(Qt::NoPen);
        painter.setBrush(faint(theme().throughput, theme().bandAlpha + 10));
        painter.drawRoundedRect(QRectF(centre - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Headroom:
        painter.setPen(Qt::NoPen);
        painter.setBrush(faint(theme().warn, theme().zoneAlpha * 3));
        painter.drawRoundedRect(QRectF(centre - QPointF(8, 5), QSizeF(16, 10)), 2, 2);
        break;
    case Running:
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().warn);
        painter.drawPolygon(
            QPolygonF{centre + QPointF(-6, -4), centre + QPointF(6, -4), centre + QPointF(0, 4)});
        break;
    case OutOfMemory:
        painter.setPen(QPen(theme().bad, 2.0, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(centre - QPointF(4, 4), centre + QPointF(4, 4));
        painter.drawLine(centre - QPointF(4, -4), centre + QPointF(4, -4));
        break;
    }
}

} // namespace batchpeak::ui
