// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/processor_load.h"
#include "trial_clock.h"
#include "trial_gate.h"

#include <filesystem>
#include <optional>

namespace batchpeak::worker {

/// Whether a trial on the processor had it for itself: other programs may take it, and the kernel takes it
/// for pages of memory.
///
/// A step that keeps some of its threads waiting is not disturbed by that: what counts is what others can
/// have taken from it.
class ProcessorGate : public TrialGate
{
public:
    /// \param threads  that a step can keep busy
    /// \param clock  outlives the gate
    /// \param root  folder in which /proc is looked for; another than "/" in tests
    ProcessorGate(int threads, const TrialClock& clock, std::filesystem::path root = "/")
        : m_threads(threads), m_clock(clock), m_root(std::move(root))
    {}

    void begin() override { m_before = read(); }
    void look() override {}
    void end(int steps, GateReport& report) override;

private:
    struct Reading
    {
        double wallSeconds = 0.0;
        ProcessUse own;
        std::optional<device::ProcessorLoad> load;
    };

    Reading read() const;
    void judgeTime(const Reading& after, GateReport& report) const;
    void judgePages(const Reading& after, int steps, GateReport& report) const;

    int m_threads;
    const TrialClock& m_clock;
    std::filesystem::path m_root;
    Reading m_before;
};

} // namespace batchpeak::worker
