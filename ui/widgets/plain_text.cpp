// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_text.h"

#include "labels.h"
#include "text/escaped_text.h"

#include <QAbstractButton>
#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QTextDocument>
#include <QToolTip>
#include <QWidget>

namespace batchpeak::ui {

namespace {

/// Whether a character is a direction mark. Dates of some locales have them, and they do not reverse the text
/// beside them.
bool isMark(QChar character)
{
    return character == QChar(0x61c) || character == QChar(0x200e) || character == QChar(0x200f);
}

template<typename Widget>
void spellOut(Widget* widget)
{
    if (!widget)
        return;
    const QString text = widget->text();
    const QString unmarked = withoutBreaks(*widget, text).removeIf(isMark);
    if (engine::escapeControls(unmarked) != unmarked)
        widget->setText(engine::escapeControls(text));
}

} // namespace

QString plainTitle(const QString& text)
{
    return engine::escapeControls(text)
        .replace(QLatin1Char('\n'), QLatin1Char(' '))
        .replace(QLatin1String("[*]"), QLatin1String("[*][*]"));
}

QString plainToolTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

void PlainText::install()
{
    if (!qApp->findChild<PlainText*>())
        qApp->installEventFilter(new PlainText(qApp));
}

bool PlainText::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::Polish) {
        // Before the widget is first painted.
        if (auto* label = qobject_cast<QLabel*>(object);
            label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
            label->setTextFormat(Qt::PlainText);
    } else if (event->type() == QEvent::Paint) {
        // At each paint, whichever way the text was set.
        spellOut(qobject_cast<QLabel*>(object));
        spellOut(qobject_cast<QAbstractButton*>(object));
    } else if (event->type() == QEvent::ToolTip) {
        auto* widget = qobject_cast<QWidget*>(object);
        if (widget && Qt::mightBeRichText(widget->toolTip())) {
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainToolTip(widget->toolTip()),
                               widget);
            return true;
        }
    }
    return QObject::eventFilter(object, event);
}

} // namespace batchpeak::ui
