// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace batchpeak::simulated_gpu {

/// When a GPU does what the host gives it: a launch takes the host some time, the kernel begins when it was
/// launched and those before it have ended, and the host waits where too many are launched ahead.
///
/// One stream. Seconds since the timeline was made, on its own clock (see the constructor). Called from any
/// thread; two threads that launch at once count as one.
class Timeline
{
public:
    /// \param launchSeconds  of the host, for each kernel; without it the steady clock tells what the host
    /// takes, and
    ///        waiting takes real time
    explicit Timeline(std::optional<double> launchSeconds) : m_launchSeconds(launchSeconds) {}

    /// The host's clock.
    double now() const;
    void launch(double executionSeconds);
    /// When all that was launched has ended: the moment of an event that is recorded now.
    double end() const;
    /// The host waits for that.
    void synchronize();

private:
    double hostSeconds() const;
    void waitUntil(double seconds);

    const std::optional<double> m_launchSeconds;
    mutable std::mutex m_mutex;
    double m_host = 0.0;
    double m_device = 0.0;
    /// When each kernel ends that may still run.
    std::deque<double> m_queue;
};

} // namespace batchpeak::simulated_gpu
