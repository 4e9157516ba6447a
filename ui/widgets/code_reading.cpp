// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "code_reading.h"

#include "files/trusted_code.h"

#include <QEventLoop>
#include <QGuiApplication>
#include <QScopeGuard>

#include <chrono>
#include <future>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

/// Nobody notices a window that stands still for so long ("Response Times: The 3 Important Limits", Nielsen).
constexpr auto unnoticed = 100ms;

} // namespace

void readCode(const QString& path)
{
    if (path.isEmpty())
        return;
    QEventLoop waiting;
    // With both policies it is done here where the system has no thread to spare.
    auto reading = std::async(std::launch::async | std::launch::deferred, [&] {
        const auto end = qScopeGuard(
            [&] { QMetaObject::invokeMethod(&waiting, &QEventLoop::quit, Qt::QueuedConnection); });
        (void)engine::CodeContent::of(path);
    });
    if (reading.wait_for(unnoticed) == std::future_status::timeout) {
        QGuiApplication::setOverrideCursor(Qt::WaitCursor);
        waiting.exec(QEventLoop::ExcludeUserInputEvents);
        QGuiApplication::restoreOverrideCursor();
    }
    reading.get();
}

} // namespace batchpeak::ui
