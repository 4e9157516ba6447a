// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/glyphs.h"
#include "theme/theme.h"

#include <QPushButton>
#include <QStringList>

class QAction;
class QFrame;
class QToolButton;

namespace batchpeak::ui {

/// The sign of an action, paler while the action is impossible.
QIcon actionIcon(Glyph glyph, const QColor& color, const Theme& theme);

/// Gives an action its tool tip: what it does, and behind that its shortcut. Why an action is impossible is
/// said by QAction::setToolTip() alone. \param sentence  empty for the words of the action
void explain(QAction* action, const QString& sentence = {});

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
/// \param otherTexts  that the action has at other times; the button has room for each, so that neither it
/// nor
///                    those beside it ever move
QToolButton* toolBarButton(QAction* action, QWidget* parent, const QStringList& otherTexts = {});

/// Between groups of such buttons.
QFrame* toolBarSeparator(QWidget* parent);

} // namespace batchpeak::ui
