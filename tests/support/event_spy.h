// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/event.h"

#include <QEventLoop>
#include <QObject>
#include <QTimer>

namespace batchpeak::test {

/// Counts the events of one kind of an exploration or a training run, as QSignalSpy counts signals.
template<typename Kind>
class EventSpy
{
public:
    template<typename Source>
    explicit EventSpy(const Source& source)
    {
        engine::onEvent<Kind>(source, &m_context, [this](const Kind&) {
            ++m_count;
            m_loop.quit();
        });
    }

    int count() const { return m_count; }
    /// \return whether another event came within that time
    bool wait(int milliseconds)
    {
        // QTest::qWaitFor sleeps for 10 ms after each event, of which a run has dozens.
        const int before = m_count;
        QTimer timer;
        QObject::connect(&timer, &QTimer::timeout, &m_loop, &QEventLoop::quit);
        timer.start(milliseconds);
        m_loop.exec();
        return m_count > before;
    }

private:
    QEventLoop m_loop;
    int m_count = 0;
    QObject m_context;
};

} // namespace batchpeak::test
