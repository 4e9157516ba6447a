// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>

#include <cstdlib>

namespace batchpeak::test {

/// Color difference below which a pixel counts as painted with a color, since edges are antialiased.
inline constexpr int nearEnough = 90;

inline int difference(const QColor& a, const QColor& b)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
}

/// Whether any pixel within the radius has that color: the probed figures are one or two pixels wide.
inline bool hasColorNear(const QImage& image, const QPointF& position, const QColor& color, int radius)
{
    for (int dy = -radius; dy <= radius; ++dy) {
        for (int dx = -radius; dx <= radius; ++dx) {
            const QPoint pixel = position.toPoint() + QPoint(dx, dy);
            if (image.valid(pixel) && difference(image.pixelColor(pixel), color) < nearEnough)
                return true;
        }
    }
    return false;
}

} // namespace batchpeak::test
