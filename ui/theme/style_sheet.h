// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme.h"

#include <QString>

namespace batchpeak::ui {

/// The style sheet of the window: cards, bars, headers, progress, buttons, scroll bars and muted text;
/// all else is Theme::palette() and Fusion.
///
/// Widgets ask for a part by a dynamic property, set before they are first shown: "card", "bar",
/// "muted", "primary", "secondary", "banner". No font is set here: a weight set in a style sheet is
/// missing from the size hint, and the text is cut off.
QString styleSheetFor(const Theme& theme);

} // namespace batchpeak::ui
