// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace batchpeak::simulated_gpu {

/// Times at which a GPU runs the work of the host: a launch takes the host some time, a kernel begins once it
/// is launched and those before it have ended, and the host waits if too many are launched ahead.
///
/// There is one stream. Times are seconds since the timeline was created, on its own clock (see the
/// constructor). Thread-safe; two simultaneous launches of different threads count as one.
class Timeline
{
public:
    /// \param launchSeconds  host time of each kernel launch; if absent, the steady clock measures the host,
    ///        and waiting takes real time
    explicit Timeline(std::optional<double> launchSeconds) : m_launchSeconds(launchSeconds) {}

    /// Time of the host's clock.
    double now() const;
    void launch(double executionSeconds);
    /// Time when all launched kernels have ended: the time of an event that is recorded now.
    double end() const;
    /// Makes the host wait until then.
    void synchronize();

private:
    double hostSeconds() const;
    void waitUntil(double seconds);

    const std::optional<double> m_launchSeconds;
    mutable std::mutex m_mutex;
    double m_host = 0.0;
    double m_device = 0.0;
    /// End times of the kernels that may still run.
    std::deque<double> m_queue;
};

} // namespace batchpeak::simulated_gpu
