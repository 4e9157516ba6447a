// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/processor_watch.h"
#include "trial_clock.h"
#include "trial_gate.h"

#include <filesystem>
#include <optional>

namespace batchpeak::worker {

/// Watches whether a trial had the processor for itself: other programs may use it, and pages that have to be
/// read back from a disk delay the trial.
///
/// A step that keeps some of its threads waiting is not disturbed by that: only the time that others can have
/// taken from it counts. Time that is lost to a lower clock counts as theirs: heat, a power limit and the
/// host of a virtual machine lower the clock for everything that runs there.
class ProcessorGate : public TrialGate
{
public:
    enum class Work {
        Steps,
        /// The threads launch the work of a GPU. What others take from them is not a share of a step, and not
        /// contention.
        Launches
    };

    /// \param threads  number of threads that a step can keep busy
    /// \param clock  outlives the gate
    /// \param root  folder that contains /proc; tests use another folder than "/"
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

    /// What was used in all intervals between begin() or resume() and the pause() that follows.
    struct Use
    {
        double wallSeconds = 0.0;
        ProcessUse own;
        /// Busy time of all programs together; nothing if the kernel does not report it.
        std::optional<double> busySeconds = 0.0;
        /// Square of the possible error of busySeconds.
        double busyVariance = 0.0;
        int processors = 0;
        /// Part of wallSeconds that was lost because the clock was below its best.
        double slowedSeconds = 0.0;

        Use& operator+=(const Use& later);

        /// Processor time that a step's \p threads did not get [processors].
        double lacking(int threads) const;
        /// Processor time that other programs used [processors].
        double foreign() const;
        /// The part of lacking() that other programs can have taken if they kept \p foreignProcessors busy
        /// [processors]: at most what both together want beyond the processors that exist.
        double taken(int threads, double foreignProcessors) const;
        /// Share of the time of a step's \p threads that others or a lower clock took; needs busySeconds.
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
    /// Shortest probe of all trials so far; 0 before the first.
    double m_minProbeSeconds = 0.0;
    /// The reading at the last begin() or resume(); nothing during a pause.
    std::optional<Reading> m_before;
    Use m_use;
    /// Contention of the steps before the last pause(); nothing if it is unknown.
    std::optional<double> m_contention;
};

} // namespace batchpeak::worker
