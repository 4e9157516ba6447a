// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QWidget;

namespace batchpeak::ui {

/// The colors of the window, one name for one role: every pen, brush and style sheet takes them from
/// here, so that light and dark can never drift apart.
///
/// Each text color has a contrast of at least 4.5 on the card. Green stands for "recommended" alone,
/// amber for running, leading and headroom, red for out of memory and the limit. A diff, which stands apart
/// from all of these, has its added lines in green and its removed ones in red.
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
    /// The grounds of added and removed lines, on which every text color keeps its contrast.
    QColor addedLine;
    QColor removedLine;
    /// Alpha, 0..255, of the model's band, of the headroom zone and of the zone beyond memory.
    int bandAlpha = 0;
    int zoneAlpha = 0;

    static Theme light();
    static Theme dark();

    /// For all that Fusion draws without a style sheet.
    QPalette palette() const;

    bool operator==(const Theme&) const = default;
};

/// What a state means to a person: each tone is one color of the theme.
enum class Tone { Plain, Muted, Good, Warn, Bad };

QColor colorOf(Tone tone, const Theme& theme);

/// \p a with that share of \p b in it, opaque: what is translucent is darker where it lies on itself.
QColor mixed(const QColor& a, const QColor& b, double share);

/// \param alpha  0..255
QColor withAlpha(QColor color, int alpha);

enum class ThemeSetting { System, Light, Dark };

/// \param system  the palette of the desktop, asked only by ThemeSetting::System: Qt 6.4 has no
///                QStyleHints::colorScheme, so its window color tells whether it is dark
Theme themeFor(ThemeSetting setting, const QPalette& system);

/// The style sheet of the window: cards, bars, headers, progress, buttons, scroll bars and muted text;
/// all else is Theme::palette() and Fusion.
///
/// Widgets ask for a part by a dynamic property, set before they are first shown: "card", "bar",
/// "muted", "primary", "secondary", "banner", "framed", "plain", "slim". No font is set here: a weight set in
/// a style sheet is missing from the size hint, and the text is cut off.
QString styleSheetFor(const Theme& theme);

/// Gives a window the style sheet and the palette of a theme.
void applyTheme(QWidget& window, const Theme& theme);

/// Gives a dialog that has all its parts the palette of a theme; the style sheet reaches it from its window.
/// Where a style sheet is, Qt 6.4 hands no palette down, and Fusion would draw the parts in the colors of
/// the desktop.
void applyPalette(QWidget& dialog, const Theme& theme);

/// \p font at a multiple of its size, in another weight where one is given.
QFont scaled(const QFont& font, double factor, QFont::Weight weight = QFont::Normal);

/// The system's fixed font, at a multiple of the size of \p font.
QFont fixedFont(const QFont& font, double factor);

} // namespace batchpeak::ui
