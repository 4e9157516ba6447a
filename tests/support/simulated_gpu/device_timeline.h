// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace batchpeak::simulated_gpu {

/// Timeline of a GPU and its host. A launch takes host time, a kernel starts after its launch and after the
/// end of all previous kernels, and the host waits if too many launches are pending.
///
/// There is one stream. Times are in seconds on the clock of the timeline (see the constructor). Thread-safe:
/// the timeline runs launches of several threads one after another.
class Timeline
{
public:
    /// \param launchSeconds  host time of each kernel launch; without it, the host's clock is the steady
    ///        clock, and waiting takes real time
    explicit Timeline(std::optional<double> launchSeconds) : m_launchSeconds(launchSeconds) {}

    /// Current time of the host's clock.
    double now() const;
    void launch(double executionSeconds);
    /// Time at which all launched kernels will have ended, which is the time of an event that is recorded
    /// now.
    double end() const;
    /// Makes the host wait until all launched kernels have ended.
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
