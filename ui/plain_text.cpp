// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_text.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QTextDocument>
#include <QToolTip>
#include <QWidget>

namespace batchpeak::ui {

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
        // Before the first picture of it.
        if (auto* label = qobject_cast<QLabel*>(object);
            label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
            label->setTextFormat(Qt::PlainText);
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
