// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <chrono>

namespace batchpeak::engine {

/// A single-shot timer without QTimer's limit on the interval. QTimer counts milliseconds in an int (Qt 6.4,
/// qtimer.h): 1,193 hours become 13 seconds, and for other times the timer does not run at all.
class LongTimer : public QObject
{
    Q_OBJECT

public:
    /// \param stretch  longest interval of the underlying QTimer; longer times consist of several
    explicit LongTimer(QObject* parent = nullptr, std::chrono::milliseconds stretch = std::chrono::hours(24));

    void start(std::chrono::milliseconds time);
    void stop();
    bool isActive() const { return m_timer.isActive(); }
    /// Remaining time; 0 if the timer is not running.
    std::chrono::milliseconds remaining() const;

signals:
    void timeout();

private:
    void continueWaiting();

    QTimer m_timer;
    QDeadlineTimer m_end;
    std::chrono::milliseconds m_stretch;
};

/// Returns a time in seconds as milliseconds. The time may be any value that a program reports: NaN and
/// negative values become 0, and times above ten years become ten years.
std::chrono::milliseconds boundedMilliseconds(double seconds);

} // namespace batchpeak::engine
