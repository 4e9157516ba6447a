// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "trial_clock.h"
#include "trial_gate.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace batchpeak::worker {

/// Watches whether a trial had an NVIDIA GPU for itself and at its full clock, and reads the power and energy
/// that the GPU used.
///
/// If the power limit lowers the clock, that is a property of the device, and training runs at that clock
/// too: the gate adds a note and reports no disturbance. The contention by other programs is the mean of what
/// the looks saw of them; each look covers the second before it.
class NvidiaGate : public TrialGate
{
public:
    /// \param read  reads the condition of the device
    /// \param clock  outlives the gate
    NvidiaGate(std::function<device::NvidiaCondition()> read, const TrialClock& clock)
        : m_read(std::move(read)), m_clock(clock)
    {}

    void begin() override;
    void look() override;
    /// Does nothing: the gate sees only moments, none of which lies in a pause, and the energy is that of the
    /// whole time.
    void pause() override {}
    void resume() override { m_resumed = m_seen.size(); }
    std::optional<double> contention() const override { return contentionSince(m_resumed); }
    void end(int steps, GateReport& report) override;

private:
    std::optional<double> contentionSince(std::size_t look) const;
    void judgeClock(GateReport& report) const;
    void judgeCompany(GateReport& report) const;
    void readEnergy(GateReport& report) const;

    std::function<device::NvidiaCondition()> m_read;
    const TrialClock& m_clock;
    /// Conditions read since begin().
    std::vector<device::NvidiaCondition> m_seen;
    /// Number of conditions that were read before the last resume().
    std::size_t m_resumed = 0;
    double m_beginSeconds = 0.0;
    /// Programs on the device at the first trial, including this one: in a container nobody can tell which
    /// one it is.
    std::optional<std::set<unsigned>> m_known;
};

} // namespace batchpeak::worker
