// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place_ticks_overlay.h"

#include "plot_canvas.h"

#include <QLocale>
#include <QPainter>

#include <utility>

namespace batchpeak::ui {

PlaceTicksOverlay::PlaceTicksOverlay(PlotCanvas* canvas) : ChartOverlay(canvas, Layer::UnderSeries) {}

void PlaceTicksOverlay::setTicks(std::vector<std::int64_t> ticks)
{
    if (ticks == m_ticks)
        return;
    m_ticks = std::move(ticks);
    update();
}

QStringList PlaceTicksOverlay::labels() const
{
    QStringList texts;
    for (const std::int64_t tick : m_ticks)
        texts << QLocale().toString(static_cast<qlonglong>(tick));
    return texts;
}

std::vector<double> PlaceTicksOverlay::labelCenters() const
{
    std::vector<double> centers;
    for (const std::int64_t tick : m_ticks)
        centers.push_back(canvas().positionOf(static_cast<double>(tick), canvas().bottomValue()).x());
    return centers;
}

void PlaceTicksOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const QRectF area = canvas().plotArea();
    const QStringList texts = labels();
    const std::vector<double> centers = labelCenters();
    if (texts.isEmpty())
        return;
    painter->setPen(QPen(canvas().theme().border, 1.0));
    painter->drawLine(QPointF(area.left(), crisp(area.bottom())),
                      QPointF(area.right(), crisp(area.bottom())));
    painter->setFont(canvas().font());
    const double height = QFontMetricsF(canvas().font()).height();
    for (std::size_t i = 0; i < centers.size(); ++i) {
        const double x = crisp(centers[i]);
        painter->setPen(QPen(canvas().theme().grid, 1.0));
        painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter->setPen(canvas().theme().mutedText);
        const QRectF box(centers[i] - 60.0, area.bottom() + canvas().labelDistance(), 120.0, height);
        painter->drawText(box, Qt::AlignHCenter | Qt::AlignTop, texts[static_cast<qsizetype>(i)]);
    }
}

} // namespace batchpeak::ui
