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

/// Whether an NVIDIA GPU worked for a trial alone and at its full clock, and what it took for that.
///
/// A clock that its power limit lowers is the device's own, which training runs at too: that is noted, and is
/// no disturbance. What other programs took is the mean of what the looks saw of them; each sees the second
/// before it.
class NvidiaGate : public TrialGate
{
public:
    /// \param read  asks the device
    /// \param clock  outlives the gate
    NvidiaGate(std::function<device::NvidiaCondition()> read, const TrialClock& clock)
        : m_read(std::move(read)), m_clock(clock)
    {}

    void begin() override;
    void look() override;
    /// It sees moments, and none of them lies in a pause; the energy is that of the whole time.
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
    /// Since begin().
    std::vector<device::NvidiaCondition> m_seen;
    /// How many of them were seen before the last resume().
    std::size_t m_resumed = 0;
    double m_beginSeconds = 0.0;
    /// Programs on the device at the first trial, this one among them: in a container nobody can tell which.
    std::optional<std::set<unsigned>> m_known;
};

} // namespace batchpeak::worker
