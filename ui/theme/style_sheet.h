// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme.h"

#include <QString>

class QWidget;

namespace batchpeak::ui {

/// The style sheet of the window: cards, bars, headers, progress, buttons, scroll bars and muted text;
/// all else is Theme::palette() and Fusion.
///
/// Widgets ask for a part by a dynamic property, set before they are first shown: "card", "bar",
/// "muted", "primary", "secondary", "banner", "framed", "plain". No font is set here: a weight set in a style
/// sheet is missing from the size hint, and the text is cut off.
QString styleSheetFor(const Theme& theme);

/// Gives a window the style sheet and the palette of a theme.
void applyTheme(QWidget& window, const Theme& theme);

/// Gives a dialog that has all its parts the palette of a theme; the style sheet reaches it from its window.
/// Where a style sheet is, Qt 6.4 hands no palette down, and Fusion would draw the parts in the colours of
/// the desktop.
void dressDialog(QWidget& dialog, const Theme& theme);

} // namespace batchpeak::ui
