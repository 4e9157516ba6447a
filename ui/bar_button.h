// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QFrame;
class QToolButton;
class QWidget;

namespace batchpeak::ui {

/// A button of a window's top bar: sign and word of an action. Tab reaches it, a click leaves the focus where
/// it was.
QToolButton* barButton(QAction* action, QWidget* parent);

/// Between groups of such buttons.
QFrame* barLine(QWidget* parent);

} // namespace batchpeak::ui
