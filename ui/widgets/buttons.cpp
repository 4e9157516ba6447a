// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "buttons.h"

#include "text/translated.h"

#include <QAction>
#include <QFrame>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

/// A button that is always as wide as with the longest of its texts.
class SteadyButton : public QToolButton
{
public:
    SteadyButton(QStringList texts, QWidget* parent) : QToolButton(parent), m_texts(std::move(texts)) {}

    QSize sizeHint() const override
    {
        if (toolButtonStyle() == Qt::ToolButtonIconOnly)
            return QToolButton::sizeHint();
        const QFontMetrics metrics = fontMetrics();
        const int present = metrics.horizontalAdvance(text());
        int widest = present;
        for (const QString& text : m_texts)
            widest = std::max(widest, metrics.horizontalAdvance(text));
        return QToolButton::sizeHint() + QSize(widest - present, 0);
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    QStringList m_texts;
};

} // namespace

void explain(QAction* action, const QString& sentence)
{
    QString text = sentence;
    if (text.isEmpty())
        text = action->text().remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    const QString shortcut = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(
        shortcut.isEmpty()
            ? text
            : engine::Translated::tr("%1 (%2)", "what an action does, and its shortcut").arg(text, shortcut));
}

QIcon actionIcon(Glyph glyph, const QColor& color, const Theme& theme)
{
    return glyphIcon(glyph, color, withAlpha(theme.mutedText, 150));
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

QToolButton* toolBarButton(QAction* action, QWidget* parent, const QStringList& otherTexts)
{
    auto* button = new SteadyButton(otherTexts, parent);
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
