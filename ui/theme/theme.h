// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QWidget;

namespace batchpeak::ui {

/// The colors of the window, one name for each role: every pen, brush and style sheet takes them from here,
/// so that light and dark always match.
///
/// Each text color has a contrast of at least 4.5 on the card. Green means "recommended" only, amber running,
/// leading and headroom, red out of memory and the limit. A diff is the exception: its added lines are green
/// and its removed ones red.
struct Theme
{
    bool isDark = false;
    QColor window;
    QColor card;
    QColor border;
    QColor grid;
    QColor text;
    QColor mutedText;
    QColor throughput;
    QColor memory;
    QColor loss;
    QColor good;
    QColor warn;
    QColor bad;
    QColor primaryText;
    QColor alternateRow;
    QColor scrollBar;
    QColor gaugeTrack;
    QColor toolTip;
    /// The backgrounds of added and removed lines, on which every text color keeps its contrast.
    QColor addedLine;
    QColor removedLine;
    /// Alpha, 0..255, of the model's band, and of the zone beyond memory; the headroom zone has twice
    /// zoneAlpha.
    int bandAlpha = 0;
    int zoneAlpha = 0;

    static Theme light();
    static Theme dark();

    /// Returns the palette for everything that Fusion draws without a style sheet.
    QPalette palette() const;

    bool operator==(const Theme&) const = default;
};

/// Meaning of a state: each tone is one color of the theme.
enum class Tone { Plain, Muted, Good, Warn, Bad };

QColor colorOf(Tone tone, const Theme& theme);

/// Returns \p a mixed with that fraction of \p b, opaque: translucent colors become darker where they
/// overlap.
QColor mixed(const QColor& a, const QColor& b, double share);

/// \param alpha  0..255
QColor withAlpha(QColor color, int alpha);

enum class ThemeSetting { System, Light, Dark };

/// \param system  palette of the desktop, used only by ThemeSetting::System: Qt 6.4 has no
///                QStyleHints::colorScheme, so the palette's window color tells whether it is dark
Theme themeFor(ThemeSetting setting, const QPalette& system);

/// Returns the style sheet of the window: cards, bars, headers, progress, buttons, scroll bars and muted
/// text; everything else uses Theme::palette() and Fusion.
///
/// Widgets select a part by a dynamic property, set before they are first shown: "card", "bar", "muted",
/// "primary", "secondary", "banner", "framed", "plain", "slim". No font is set here: a weight set in a style
/// sheet is missing from the size hint, and the text is cut off.
QString styleSheetFor(const Theme& theme);

/// Applies the style sheet and the palette of a theme to a window.
void applyTheme(QWidget& window, const Theme& theme);

/// Applies the palette of a theme to a dialog that has all its children; the style sheet is inherited from
/// its window. Where there is a style sheet, Qt 6.4 does not propagate the palette, and Fusion would draw the
/// children in the colors of the desktop.
void applyPalette(QWidget& dialog, const Theme& theme);

/// Returns \p font at a multiple of its size, with the given weight.
QFont scaled(const QFont& font, double factor, QFont::Weight weight = QFont::Normal);

/// Returns the system's fixed font, at a multiple of the size of \p font.
QFont fixedFont(const QFont& font, double factor);

} // namespace batchpeak::ui
