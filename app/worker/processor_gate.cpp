// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "processor_gate.h"

#include <algorithm>

namespace batchpeak::worker {

namespace {

// Beside other busy programs the steps of one size were seen to take between 84 and 530 ms; trials that got
// nine tenths of the time of their threads agreed.
constexpr double undisturbedShare = 0.9;
// The middle 60 % of the steps make the time of a trial, so that fewer steps than every fifth cannot move it.
constexpr double mostMajorPageFaultsPerStep = 0.2;
// A network whose blocks the kernel had to hand out in each step took 118,000 to 132,000 pages a second, and
// 5 % to 23 % longer than with blocks kept; the same with them kept takes none.
constexpr double mostMinorPageFaultsPerSecond = 50'000;

} // namespace

ProcessorGate::Reading ProcessorGate::read() const
{
    return {.wallSeconds = m_clock.wallSeconds(),
            .own = m_clock.processUse(),
            .load = device::processorLoad(m_root)};
}

void ProcessorGate::end(int steps, GateReport& report)
{
    const Reading after = read();
    if (after.wallSeconds <= m_before.wallSeconds)
        return;
    judgeTime(after, report);
    judgePages(after, steps, report);
}

void ProcessorGate::judgeTime(const Reading& after, GateReport& report) const
{
    const double wall = after.wallSeconds - m_before.wallSeconds;
    const double own = (after.own.processorSeconds - m_before.own.processorSeconds) / wall;
    const double share = std::min(1.0, own / m_threads);
    report.readings.processorShare = share;
    const double lacking = m_threads * (1.0 - share);
    const double mostLacking = m_threads * (1.0 - undisturbedShare);
    if (!after.load || !m_before.load) {
        if (lacking > mostLacking)
            report.disturbances.push_back(roundedText(100 * share, 0) +
                                          " % of the processor was given to the trial");
        return;
    }
    const double busy = (after.load->busySeconds - m_before.load->busySeconds) / wall;
    const double foreign = std::max(0.0, busy - own);
    report.readings.foreignProcessors = foreign;
    // What is counted in whole ticks may be one off on each processor.
    const int processors = after.load->processors;
    const double surelyForeign = foreign - processors * after.load->resolutionSeconds / wall;
    // Others take from the trial only where both together want more than there is.
    const double taken = std::min(lacking, m_threads + surelyForeign - processors);
    if (taken > mostLacking)
        report.disturbances.push_back("other programs used " + roundedText(foreign, 1) + " of " +
                                      std::to_string(processors) + " processors");
}

void ProcessorGate::judgePages(const Reading& after, int steps, GateReport& report) const
{
    const auto minor = static_cast<double>(after.own.minorPageFaults - m_before.own.minorPageFaults);
    const auto major = static_cast<double>(after.own.majorPageFaults - m_before.own.majorPageFaults);
    report.readings.minorPageFaultsPerStep = minor / steps;
    report.readings.majorPageFaultsPerStep = major / steps;
    if (major / steps >= mostMajorPageFaultsPerStep)
        report.disturbances.push_back(roundedText(major, 0) + " pages of memory were read from a disk");
    if (minor / (after.wallSeconds - m_before.wallSeconds) > mostMinorPageFaultsPerSecond)
        report.disturbances.push_back("the kernel handed out " + roundedText(minor / steps, 0) +
                                      " pages of memory in each step");
}

} // namespace batchpeak::worker
