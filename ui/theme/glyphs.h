// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace batchpeak::ui {

/// The icons of the window. They are painted, not taken from a font or an icon theme: either may lack them,
/// and would show a box without a warning.
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

/// Returns an icon that is sharp on screens with 1, 2 and 3 physical pixels per point.
/// \param side  side length of its square [px]
QIcon glyphIcon(Glyph glyph, const QColor& color, const QColor& disabled, int side = 16);
/// Does the same with padding around the glyph, in the 16 x 16 px that a header requests: on screens with
/// more than one physical pixel per point a header would enlarge anything smaller.
QIcon paddedGlyphIcon(Glyph glyph, const QColor& color, int side);
/// Returns an icon with two glyphs side by side, in 34 x 16 px.
QIcon glyphIcon(Glyph first, const QColor& firstColor, Glyph second, const QColor& secondColor);

} // namespace batchpeak::ui
