// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "long_timer.h"

#include <algorithm>

namespace batchpeak::engine {

using std::chrono::milliseconds;

LongTimer::LongTimer(QObject* parent, milliseconds stretch) : QObject(parent), m_stretch(stretch)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (m_end.hasExpired())
            emit timeout();
        else
            continueWaiting();
    });
}

void LongTimer::start(milliseconds time)
{
    m_end = QDeadlineTimer(std::max(time, milliseconds(0)));
    continueWaiting();
}

void LongTimer::continueWaiting()
{
    m_timer.start(std::min(m_stretch, milliseconds(m_end.remainingTime())));
}

void LongTimer::stop()
{
    m_timer.stop();
}

milliseconds LongTimer::remaining() const
{
    return isActive() ? milliseconds(m_end.remainingTime()) : milliseconds(0);
}

milliseconds boundedMilliseconds(double seconds)
{
    constexpr double longest = 10.0 * 365 * 24 * 3600;
    return milliseconds(seconds > 0.0 ? static_cast<std::int64_t>(std::min(seconds, longest) * 1000.0) : 0);
}

} // namespace batchpeak::engine
