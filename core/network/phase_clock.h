// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <chrono>
#include <vector>

namespace batchpeak::network {

/// Measures the seconds between marked moments of a device's work. On the CPU the work is done when a call
/// returns, so the steady clock measures it. A GPU works asynchronously, so events on its stream measure it.
class PhaseClock
{
public:
    explicit PhaseClock(c10::Device device);

    void mark();

    /// Returns the seconds between successive marks, one fewer than there are marks. Synchronize the device
    /// first.
    std::vector<double> intervals() const;

private:
    c10::Device m_device;
    std::vector<std::chrono::steady_clock::time_point> m_moments;
    std::vector<c10::Event> m_events;
};

} // namespace batchpeak::network
