// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "buttons.h"

#include <QAction>
#include <QFrame>
#include <QToolButton>

namespace batchpeak::ui {

QIcon actionIcon(Glyph glyph, const QColor& colour, const Theme& theme)
{
    return glyphIcon(glyph, colour, withAlpha(theme.mutedText, 150));
}

QPushButton* actionButton(QAction* action, const char* kind, QWidget* parent)
{
    auto* button = new QPushButton(parent);
    button->setProperty(kind, true);
    const auto follow = [button, action] {
        button->setText(action->text());
        button->setToolTip(action->toolTip());
        button->setEnabled(action->isEnabled());
    };
    follow();
    QObject::connect(action, &QAction::changed, button, follow);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

QPushButton* dialogButton(const QString& text, const char* kind, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setProperty(kind, true);
    button->setAutoDefault(false);
    return button;
}

QToolButton* toolBarButton(QAction* action, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QFrame* toolBarSeparator(QWidget* parent)
{
    auto* line = new QFrame(parent);
    line->setProperty("line", true);
    line->setFixedSize(1, 20);
    return line;
}

} // namespace batchpeak::ui
