// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <chrono>
#include <vector>

namespace batchpeak::network {

/// Marks moments of a device's work and tells the seconds between them. On the CPU work is done when
/// a call returns, so the steady clock tells; a GPU works behind, so events on its stream do.
class PhaseClock
{
public:
    explicit PhaseClock(c10::Device device);

    void mark();

    /// Seconds between successive marks, one fewer than there are marks. Synchronize the device first.
    std::vector<double> intervals() const;

private:
    c10::Device m_device;
    std::vector<std::chrono::steady_clock::time_point> m_moments;
    std::vector<c10::Event> m_events;
};

} // namespace batchpeak::network
