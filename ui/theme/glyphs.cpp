// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "glyphs.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QPixmapCache>

#include <cmath>
#include <numbers>

namespace batchpeak::ui {

namespace {

// All shapes are drawn in a square of 16 units.
constexpr double square = 16.0;

QPainterPath star()
{
    QPainterPath path;
    for (int corner = 0; corner < 10; ++corner) {
        const double angle = (corner * 36.0 - 90.0) * std::numbers::pi / 180.0;
        const double radius = corner % 2 == 0 ? 6.8 : 2.9;
        const QPointF point(8.0 + radius * std::cos(angle), 8.4 + radius * std::sin(angle));
        corner == 0 ? path.moveTo(point) : path.lineTo(point);
    }
    path.closeSubpath();
    return path;
}

QPainterPath folder()
{
    QPainterPath path;
    path.addRoundedRect(QRectF(1, 4.5, 14, 9.5), 1.5, 1.5);
    QPainterPath tab;
    tab.addRoundedRect(QRectF(1, 2.5, 6.5, 5), 1.5, 1.5);
    return path.united(tab);
}

QPainterPath triangle(const QPointF& a, const QPointF& b, const QPointF& c)
{
    QPainterPath path(a);
    path.lineTo(b);
    path.lineTo(c);
    path.closeSubpath();
    return path;
}

QPainterPath filledShape(Glyph glyph)
{
    QPainterPath path;
    switch (glyph) {
    case Glyph::Open:
        return folder();
    case Glyph::Play:
        return triangle({4, 2}, {14, 8}, {4, 14});
    case Glyph::Down:
        return triangle({2, 4}, {14, 4}, {8, 12});
    case Glyph::Up:
        return triangle({2, 12}, {14, 12}, {8, 4});
    case Glyph::Pause:
        path.addRect(3, 2.5, 3.5, 11);
        path.addRect(9.5, 2.5, 3.5, 11);
        break;
    case Glyph::Stop:
        path.addRoundedRect(QRectF(2.5, 2.5, 11, 11), 1.5, 1.5);
        break;
    case Glyph::Star:
        return star();
    default:
        break;
    }
    return path;
}

void strokeShape(QPainter& painter, Glyph glyph)
{
    switch (glyph) {
    case Glyph::Check:
        painter.drawPolyline(QPolygonF{{3, 8.5}, {6.5, 12}, {13, 4}});
        break;
    case Glyph::Cross:
        painter.drawLine(QPointF(4, 4), QPointF(12, 12));
        painter.drawLine(QPointF(12, 4), QPointF(4, 12));
        break;
    case Glyph::Warning:
        painter.drawPolygon(QPolygonF{{8, 2}, {14.5, 13.5}, {1.5, 13.5}});
        painter.drawLine(QPointF(8, 6.5), QPointF(8, 9.2));
        painter.drawPoint(QPointF(8, 11.4));
        break;
    case Glyph::Clock:
        painter.drawEllipse(QPointF(8, 8), 6, 6);
        painter.drawPolyline(QPolygonF{{8, 4.8}, {8, 8.3}, {10.4, 9.6}});
        break;
    case Glyph::Barred:
        painter.drawEllipse(QPointF(8, 8), 6, 6);
        painter.drawLine(QPointF(3.9, 3.9), QPointF(12.1, 12.1));
        break;
    case Glyph::Export:
        painter.drawPolyline(QPolygonF{{2.5, 9.5}, {2.5, 13.5}, {13.5, 13.5}, {13.5, 9.5}});
        painter.drawLine(QPointF(8, 2), QPointF(8, 10));
        painter.drawPolyline(QPolygonF{{4.8, 5.2}, {8, 2}, {11.2, 5.2}});
        break;
    case Glyph::Copy:
        painter.drawRoundedRect(QRectF(2, 2, 8.5, 8.5), 1.5, 1.5);
        painter.drawPolyline(QPolygonF{{13.5, 5.5}, {13.5, 13.5}, {5.5, 13.5}});
        break;
    case Glyph::Descent:
        painter.drawPolyline(QPolygonF{{2.5, 2.5}, {2.5, 13.5}, {13.5, 13.5}});
        painter.drawPolyline(QPolygonF{{5.0, 3.5}, {6.6, 7.4}, {9.0, 9.4}, {13.0, 10.2}});
        break;
    case Glyph::Compare:
        painter.drawPolyline(QPolygonF{{2.5, 5.5}, {13.5, 5.5}, {10.5, 2.5}});
        painter.drawPolyline(QPolygonF{{13.5, 10.5}, {2.5, 10.5}, {5.5, 13.5}});
        break;
    case Glyph::Menu:
        for (const double y : {4.0, 8.0, 12.0})
            painter.drawLine(QPointF(2.5, y), QPointF(13.5, y));
        break;
    default:
        break;
    }
}

QPixmap emptyPixmap(QSize size, int ratio)
{
    QPixmap pixmap(size * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    return pixmap;
}

/// Caches pixmaps: a table requests the icon of each row each time that it is measured or painted.
template<typename Paint>
QPixmap paintedOnce(const QString& name, const QSize& size, int ratio, Paint paint)
{
    const QString key = QStringLiteral("batchpeak %1 %2").arg(name).arg(ratio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = emptyPixmap(size, ratio);
    QPainter painter(&pixmap);
    paint(painter);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

QString nameOf(Glyph glyph, const QColor& color)
{
    return QStringLiteral("%1 %2").arg(static_cast<int>(glyph)).arg(color.rgba());
}

QPixmap pixmapOf(Glyph glyph, const QColor& color, int side, int ratio)
{
    return paintedOnce(
        QStringLiteral("%1 %2").arg(nameOf(glyph, color)).arg(side), {side, side}, ratio,
        [&](QPainter& painter) { paintGlyph(painter, glyph, QRectF(0, 0, side, side), color); });
}

} // namespace

void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& box, const QColor& color)
{
    const double side = std::min(box.width(), box.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box.center() - QPointF(side, side) / 2.0);
    painter.scale(side / square, side / square);
    const QPainterPath filled = filledShape(glyph);
    if (!filled.isEmpty()) {
        painter.fillPath(filled, color);
    } else {
        painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        strokeShape(painter, glyph);
    }
    painter.restore();
}

QIcon glyphIcon(Glyph glyph, const QColor& color, const QColor& disabled, int side)
{
    QIcon icon;
    for (const int ratio : {1, 2, 3}) {
        icon.addPixmap(pixmapOf(glyph, color, side, ratio), QIcon::Normal);
        icon.addPixmap(pixmapOf(glyph, disabled, side, ratio), QIcon::Disabled);
    }
    return icon;
}

QIcon paddedGlyphIcon(Glyph glyph, const QColor& color, int side)
{
    QIcon icon;
    for (const int ratio : {1, 2, 3}) {
        icon.addPixmap(paintedOnce(QStringLiteral("%1 %2 padded").arg(nameOf(glyph, color)).arg(side),
                                   {16, 16}, ratio, [&](QPainter& painter) {
                                       paintGlyph(painter, glyph,
                                                  QRectF(16 - side, (16 - side) / 2.0, side, side), color);
                                   }));
    }
    return icon;
}

QIcon glyphIcon(Glyph first, const QColor& firstColor, Glyph second, const QColor& secondColor)
{
    QIcon icon;
    for (const int ratio : {1, 2, 3}) {
        icon.addPixmap(
            paintedOnce(nameOf(first, firstColor) + QStringLiteral(" and ") + nameOf(second, secondColor),
                        {34, 16}, ratio, [&](QPainter& painter) {
                            paintGlyph(painter, first, QRectF(0, 0, 16, 16), firstColor);
                            paintGlyph(painter, second, QRectF(18, 0, 16, 16), secondColor);
                        }));
    }
    return icon;
}

} // namespace batchpeak::ui
