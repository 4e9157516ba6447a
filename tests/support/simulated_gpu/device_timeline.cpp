// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_timeline.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace batchpeak::simulated_gpu {

namespace {

// Number of pending launches that the CUDA driver accepts (others measured it on several generations of
// GPUs).
constexpr std::size_t launchesAhead = 1024;

double steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

double Timeline::now() const
{
    const std::lock_guard lock(m_mutex);
    return hostSeconds();
}

double Timeline::hostSeconds() const
{
    return m_launchSeconds ? m_host : steadySeconds();
}

void Timeline::waitUntil(double seconds)
{
    if (m_launchSeconds)
        m_host = std::max(m_host, seconds);
    else
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds - steadySeconds()));
}

void Timeline::launch(double executionSeconds)
{
    const std::lock_guard lock(m_mutex);
    m_host += m_launchSeconds.value_or(0.0);
    while (!m_queue.empty() && m_queue.front() <= hostSeconds())
        m_queue.pop_front();
    if (m_queue.size() >= launchesAhead) {
        waitUntil(m_queue.front());
        m_queue.pop_front();
    }
    m_device = std::max(m_device, hostSeconds()) + executionSeconds;
    m_queue.push_back(m_device);
}

double Timeline::end() const
{
    const std::lock_guard lock(m_mutex);
    return std::max(m_device, hostSeconds());
}

void Timeline::synchronize()
{
    const std::lock_guard lock(m_mutex);
    waitUntil(m_device);
    m_queue.clear();
}

} // namespace batchpeak::simulated_gpu
