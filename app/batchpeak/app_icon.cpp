// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app_icon.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace batchpeak {

namespace {

// The figure is drawn on a square of 64 units, in the colors of the light theme.
constexpr double units = 64.0;
constexpr QRgb ground = 0xff1f6feb;
constexpr QRgb peak = 0xff3dd6a0;

QPainterPath throughputCurve()
{
    QPainterPath curve(QPointF(14, 43));
    curve.cubicTo(22, 43, 24, 20, 36, 20);
    curve.cubicTo(43, 20, 45, 27, 50, 31);
    return curve;
}

} // namespace

QImage appIconImage(int pixels)
{
    QImage image(pixels, pixels, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(pixels / units, pixels / units);

    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor::fromRgb(ground));
    painter.drawRoundedRect(QRectF(4, 4, 56, 56), 12, 12);

    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(255, 255, 255, 140), 3, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(14, 49), QPointF(50, 49));
    painter.setPen(QPen(Qt::white, 4.5, Qt::SolidLine, Qt::RoundCap));
    painter.drawPath(throughputCurve());

    painter.setPen(QPen(QColor::fromRgb(ground), 2.5));
    painter.setBrush(QColor::fromRgb(peak));
    painter.drawEllipse(QPointF(36, 20), 7, 7);
    return image;
}

QIcon appIcon()
{
    QIcon icon;
    for (const int pixels : {16, 32, 48, 64, 128})
        icon.addPixmap(QPixmap::fromImage(appIconImage(pixels)));
    return icon;
}

} // namespace batchpeak
