// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/processor_load.h"
#include "trial_clock.h"
#include "trial_gate.h"

#include <filesystem>
#include <optional>

namespace batchpeak::worker {

/// Whether a trial on the processor had it for itself: other programs may take it, and pages that a disk has
/// to give back hold it up.
///
/// A step that keeps some of its threads waiting is not disturbed by that: what counts is what others can
/// have taken from it. What a lower clock takes counts as theirs: heat, a limit of power and the host of a
/// virtual machine lower it for all that runs there.
class ProcessorGate : public TrialGate
{
public:
    enum class Work {
        Steps,
        /// They give a GPU its work: what others take of them is no share of a step, and no contention.
        Launches
    };

    /// \param threads  that a step can keep busy
    /// \param clock  outlives the gate
    /// \param root  folder in which /proc is looked for; another than "/" in tests
    ProcessorGate(int threads, const TrialClock& clock, Work work = Work::Steps,
                  std::filesystem::path root = "/")
        : m_threads(threads), m_clock(clock), m_work(work), m_root(std::move(root))
    {}

    void begin() override;
    void look() override {}
    void pause() override;
    void resume() override { m_before = read(); }
    std::optional<double> contention() const override { return m_contention; }
    void end(int steps, GateReport& report) override;

private:
    struct Reading
    {
        double wallSeconds = 0.0;
        ProcessUse own;
        std::optional<device::ProcessorLoad> load;
        double probeSeconds = 0.0;
    };

    /// What was used in all times between begin() or resume() and the pause behind it.
    struct Use
    {
        double wallSeconds = 0.0;
        ProcessUse own;
        /// Of everybody together; nothing where the kernel does not tell.
        std::optional<double> busySeconds = 0.0;
        /// Squared, what busySeconds may be off by.
        double busyVariance = 0.0;
        int processors = 0;
        /// The part of wallSeconds that a clock below its best took.
        double slowedSeconds = 0.0;

        Use& operator+=(const Use& later);

        /// What a step's \p threads did not get [processors].
        double lacking(int threads) const;
        /// What others kept busy [processors].
        double foreign() const;
        /// What of the lacking others can have taken where they kept so many processors busy: no more than
        /// both together want beyond what there is.
        double taken(int threads, double foreignProcessors) const;
        /// Share of the time of a step's \p threads that others or a lower clock took; where others tell.
        double contention(int threads) const;
    };

    Reading read();
    Use between(const Reading& before, const Reading& after) const;
    void judgeTime(GateReport& report) const;
    void judgePages(int steps, GateReport& report) const;

    int m_threads;
    const TrialClock& m_clock;
    Work m_work;
    std::filesystem::path m_root;
    /// The least of all trials so far; 0 before the first.
    double m_minProbeSeconds = 0.0;
    /// Nothing in a pause.
    std::optional<Reading> m_before;
    Use m_use;
    /// What pause() found of the steps before it; nothing where it is not known.
    std::optional<double> m_contention;
};

} // namespace batchpeak::worker
