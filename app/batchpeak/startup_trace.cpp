// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "startup_trace.h"

#include <QEvent>
#include <QTimer>

#include <cstdio>

namespace batchpeak {

StartupTrace::StartupTrace(QObject* window, std::chrono::steady_clock::time_point startOfMain)
    : QObject(window), m_startOfMain(startOfMain)
{
    if (qEnvironmentVariableIntValue("BATCHPEAK_TRACE_STARTUP") == 1)
        window->installEventFilter(this);
}

bool StartupTrace::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint) {
        watched->removeEventFilter(this);
        // The children are painted in the same iteration of the event loop, so the next iteration comes after
        // them.
        QTimer::singleShot(0, this, [this] {
            const std::chrono::duration<double, std::milli> taken =
                std::chrono::steady_clock::now() - m_startOfMain;
            std::fprintf(stderr, "batchpeak: first paint %.0f ms after the start of main\n", taken.count());
        });
    }
    return QObject::eventFilter(watched, event);
}

} // namespace batchpeak
