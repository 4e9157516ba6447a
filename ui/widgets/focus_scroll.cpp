// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "focus_scroll.h"

#include <QApplication>
#include <QScrollArea>

namespace batchpeak::ui {

void followFocus(QScrollArea* area)
{
    QObject::connect(qApp, &QApplication::focusChanged, area, [area](QWidget*, QWidget* now) {
        // A clicked widget is visible, and must stay under the pointer.
        const bool isClicked = QGuiApplication::mouseButtons() != Qt::NoButton;
        if (now && area->widget() && area->widget()->isAncestorOf(now) && !isClicked)
            area->ensureWidgetVisible(now);
    });
}

} // namespace batchpeak::ui
