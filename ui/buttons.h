// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/glyphs.h"
#include "theme/theme.h"

#include <QPushButton>

class QAction;
class QFrame;
class QToolButton;

namespace batchpeak::ui {

/// The sign of an action, paler while the action is impossible.
QIcon actionIcon(Glyph glyph, const QColor& colour, const Theme& theme);

/// A button that does what an action does, and reads and is enabled as it is.
///
/// \param kind  "primary" or "secondary"
QPushButton* actionButton(QAction* action, const char* kind, QWidget* parent);

/// A button of a dialog in the window's style. One that a QDialogButtonBox makes itself is polished before it
/// can be told its kind. Enter presses the dialog's default button, wherever the focus is.
///
/// \param kind  "primary" or "secondary"
QPushButton* dialogButton(const QString& text, const char* kind, QWidget* parent);

/// A button of a tool bar: sign and word of an action. Tab reaches it, a click leaves the focus where it was.
QToolButton* toolBarButton(QAction* action, QWidget* parent);

/// Between groups of such buttons.
QFrame* toolBarSeparator(QWidget* parent);

} // namespace batchpeak::ui
