// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace batchpeak::ui {

/// The small signs of the window. They are painted, not taken from a font or an icon theme: either may
/// lack them, and then shows a box without a warning.
enum class Glyph {
    Open,
    Play,
    Pause,
    Stop,
    Export,
    Copy,
    Menu,
    Check,
    Star,
    Cross,
    Warning,
    Clock,
    Barred,
    Down,
    Up,
    Descent,
    Compare
};

/// Paints \p glyph into the largest centered square of \p box.
void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& box, const QColor& color);

/// An icon, sharp on screens of 1, 2 and 3 physical pixels a point.
/// \param side  of its square [px]
QIcon glyphIcon(Glyph glyph, const QColor& color, const QColor& disabled, int side = 16);
/// The same with room about the sign, in 16 x 16 px as a header asks for: anything smaller it would enlarge
/// on screens of more than one physical pixel a point.
QIcon paddedGlyphIcon(Glyph glyph, const QColor& color, int side);
/// Two signs beside each other, in 34 x 16 px.
QIcon glyphIcon(Glyph first, const QColor& firstColor, Glyph second, const QColor& secondColor);

} // namespace batchpeak::ui
