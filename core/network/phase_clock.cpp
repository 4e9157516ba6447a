// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase_clock.h"

#include <ATen/DeviceAccelerator.h>

namespace batchpeak::network {

PhaseClock::PhaseClock(c10::Device device) : m_device(device) {}

void PhaseClock::mark()
{
    if (m_device.is_cpu()) {
        m_moments.push_back(std::chrono::steady_clock::now());
        return;
    }
    // With the default flag, events record no time.
    m_events.emplace_back(m_device.type(), c10::EventFlag::BACKEND_DEFAULT);
    m_events.back().record(at::accelerator::getCurrentStream(m_device.index()));
}

std::vector<double> PhaseClock::intervals() const
{
    std::vector<double> seconds;
    for (std::size_t i = 1; i < m_moments.size(); ++i)
        seconds.push_back(std::chrono::duration<double>(m_moments[i] - m_moments[i - 1]).count());
    constexpr double secondsPerMillisecond = 1e-3;
    for (std::size_t i = 1; i < m_events.size(); ++i)
        seconds.push_back(m_events[i - 1].elapsedTime(m_events[i]) * secondsPerMillisecond);
    return seconds;
}

} // namespace batchpeak::network
