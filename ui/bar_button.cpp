// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "bar_button.h"

#include <QAction>
#include <QFrame>
#include <QToolButton>

namespace batchpeak::ui {

QToolButton* barButton(QAction* action, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QFrame* barLine(QWidget* parent)
{
    auto* line = new QFrame(parent);
    line->setProperty("line", true);
    line->setFixedSize(1, 20);
    return line;
}

} // namespace batchpeak::ui
