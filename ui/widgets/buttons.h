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

/// Returns the icon of an action, paler while the action is disabled.
QIcon actionIcon(Glyph glyph, const QColor& color, const Theme& theme);

/// Sets the tool tip of an action: what it does, followed by its shortcut. Use QAction::setToolTip() alone to
/// say why an action is disabled.
/// \param sentence  empty for the text of the action
void explain(QAction* action, const QString& sentence = {});

/// Creates a button that triggers an action, and has its text and enabled state.
///
/// \param kind  "primary" or "secondary"
QPushButton* actionButton(QAction* action, const char* kind, QWidget* parent);

/// Creates a button of a dialog in the window's style. A button that a QDialogButtonBox creates itself is
/// polished before its kind can be set. Enter presses the dialog's default button, wherever the focus is.
///
/// \param kind  "primary" or "secondary"
QPushButton* dialogButton(const QString& text, const char* kind, QWidget* parent);

/// Creates a button of a tool bar with the icon and text of an action. It takes the focus by Tab, not by a
/// click.
/// \param otherTexts  texts that the action has at other times; the button has room for each, so that neither
///                    it nor its neighbors ever move
QToolButton* toolBarButton(QAction* action, QWidget* parent, const QStringList& otherTexts = {});

/// Creates a separator between groups of such buttons.
QFrame* toolBarSeparator(QWidget* parent);

} // namespace batchpeak::ui
