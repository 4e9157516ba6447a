// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "code_reading.h"

#include "files/trusted_code.h"

#include <QCursor>
#include <QEventLoop>
#include <QGuiApplication>
#include <QScopeGuard>

#include <chrono>
#include <future>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

/// Users do not notice that a window is blocked for so long ("Response Times: The 3 Important Limits",
/// Nielsen).
constexpr auto unnoticed = 100ms;

} // namespace

void readCode(const QString& path)
{
    if (path.isEmpty())
        return;
    QEventLoop waiting;
    // With both policies, the function runs here if the system refuses a thread.
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
