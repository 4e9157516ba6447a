// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/event.h"

#include <QObject>
#include <QTest>

namespace batchpeak::test {

/// Counts the events of one kind of an exploration or a training, as QSignalSpy counts signals.
template<typename Kind>
class EventSpy
{
public:
    template<typename Source>
    explicit EventSpy(const Source& source)
    {
        engine::onEvent<Kind>(source, &m_context, [this](const Kind&) { ++m_count; });
    }

    int count() const { return m_count; }
    /// \return whether one more came within that time
    bool wait(int milliseconds)
    {
        return QTest::qWaitFor([this, before = m_count] { return m_count > before; }, milliseconds);
    }

private:
    QObject m_context;
    int m_count = 0;
};

} // namespace batchpeak::test
