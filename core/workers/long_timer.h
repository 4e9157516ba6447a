// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <chrono>

namespace batchpeak::engine {

/// A timer that fires once, after any time that a person or a worker can name. QTimer counts milliseconds in
/// an int (Qt 6.4, qtimer.h): of 1,193 hours it makes 13 seconds, and of others none at all.
class LongTimer : public QObject
{
    Q_OBJECT

public:
    /// \param stretch  of which longer times are made up
    explicit LongTimer(QObject* parent = nullptr, std::chrono::milliseconds stretch = std::chrono::hours(24));

    void start(std::chrono::milliseconds time);
    void stop();
    bool isActive() const { return m_timer.isActive(); }
    /// 0 where it does not run.
    std::chrono::milliseconds remaining() const;

signals:
    void timeout();

private:
    void continueWaiting();

    QTimer m_timer;
    QDeadlineTimer m_end;
    std::chrono::milliseconds m_stretch;
};

/// Of a time in seconds that may be anything, as a program's word: NaN and what is negative are 0, and none
/// is longer than ten years.
std::chrono::milliseconds boundedMilliseconds(double seconds);

} // namespace batchpeak::engine
