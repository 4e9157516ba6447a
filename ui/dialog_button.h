// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

namespace batchpeak::ui {

/// A button of a dialog in the window's style. One that a QDialogButtonBox makes itself is polished before it
/// can be told its kind. Enter presses the dialog's default button, wherever the focus is.
///
/// \param kind  "primary" or "secondary"
QPushButton* dialogButton(const QString& text, const char* kind, QWidget* parent);

} // namespace batchpeak::ui
