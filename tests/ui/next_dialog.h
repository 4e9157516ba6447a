// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QTimer>

#include <functional>

namespace batchpeak::ui::test {

/// Answers the next dialog of a kind, as a person would once it is open.
template<typename Dialog>
void whenOpen(QObject* context, std::function<void(Dialog*)> answer)
{
    auto* timer = new QTimer(context);
    QObject::connect(timer, &QTimer::timeout, context, [timer, answer] {
        if (auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget())) {
            timer->deleteLater();
            answer(dialog);
        }
    });
    timer->start(10);
}

} // namespace batchpeak::ui::test
