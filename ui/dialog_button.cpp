// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialog_button.h"

namespace batchpeak::ui {

QPushButton* dialogButton(const QString& text, const char* kind, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setProperty(kind, true);
    button->setAutoDefault(false);
    return button;
}

} // namespace batchpeak::ui
