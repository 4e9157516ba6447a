// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "processor_gate.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::worker {

namespace {

// Beside other busy programs, the steps of one size were observed to take between 84 and 530 ms; trials whose
// threads got nine tenths of their time agreed.
constexpr double undisturbedShare = 0.9;
// The middle 60 % of the steps determine the time of a trial, so a disturbance of fewer steps than every
// fifth cannot move it.
constexpr double maxMajorPageFaultsPerStep = 0.2;
// Probes at a steady clock differ by less than this; otherwise their noise would become noise of the trials.
constexpr double minSlowed = 0.03;

} // namespace

ProcessorGate::Use& ProcessorGate::Use::operator+=(const Use& later)
{
    wallSeconds += later.wallSeconds;
    own.processorSeconds += later.own.processorSeconds;
    own.minorPageFaults += later.own.minorPageFaults;
    own.majorPageFaults += later.own.majorPageFaults;
    busySeconds =
        busySeconds && later.busySeconds ? std::optional(*busySeconds + *later.busySeconds) : std::nullopt;
    busyVariance += later.busyVariance;
    processors = later.processors;
    slowedSeconds += later.slowedSeconds;
    return *this;
}

ProcessorGate::Reading ProcessorGate::read()
{
    Reading reading{.wallSeconds = m_clock.wallSeconds(),
                    .own = m_clock.processUse(),
                    .load = device::processorLoad(m_root),
                    .probeSeconds = m_clock.probeSeconds()};
    m_minProbeSeconds =
        m_minProbeSeconds > 0.0 ? std::min(m_minProbeSeconds, reading.probeSeconds) : reading.probeSeconds;
    return reading;
}

ProcessorGate::Use ProcessorGate::between(const Reading& before, const Reading& after) const
{
    Use use;
    use.wallSeconds = after.wallSeconds - before.wallSeconds;
    use.own.processorSeconds = after.own.processorSeconds - before.own.processorSeconds;
    use.own.minorPageFaults = after.own.minorPageFaults - before.own.minorPageFaults;
    use.own.majorPageFaults = after.own.majorPageFaults - before.own.majorPageFaults;
    use.busySeconds.reset();
    if (after.load && before.load) {
        use.busySeconds = after.load->busySeconds - before.load->busySeconds;
        use.processors = after.load->processors;
        // A count of whole ticks may be off by one on each processor, independently in each interval.
        use.busyVariance = std::pow(use.processors * after.load->resolutionSeconds, 2);
    }
    const double probe = (before.probeSeconds + after.probeSeconds) / 2.0;
    const double slowed = probe > 0.0 ? 1.0 - m_minProbeSeconds / probe : 0.0;
    if (slowed >= minSlowed)
        use.slowedSeconds = slowed * use.wallSeconds;
    return use;
}

void ProcessorGate::begin()
{
    m_use = {};
    resume();
}

void ProcessorGate::pause()
{
    const Use use = between(*m_before, read());
    m_use += use;
    m_contention.reset();
    if (use.busySeconds && use.wallSeconds > 0 && m_work == Work::Steps)
        m_contention = use.contention(m_threads);
    m_before.reset();
}

double ProcessorGate::Use::lacking(int threads) const
{
    return threads * (1.0 - std::min(1.0, own.processorSeconds / wallSeconds / threads));
}

double ProcessorGate::Use::foreign() const
{
    return std::max(0.0, (*busySeconds - own.processorSeconds) / wallSeconds);
}

double ProcessorGate::Use::taken(int threads, double foreignProcessors) const
{
    return std::max(0.0, std::min(lacking(threads), threads + foreignProcessors - processors));
}

double ProcessorGate::Use::contention(int threads) const
{
    const double left = 1.0 - taken(threads, foreign()) / threads;
    return 1.0 - left * (1.0 - slowedSeconds / wallSeconds);
}

void ProcessorGate::end(int steps, GateReport& report)
{
    if (m_before)
        pause();
    if (m_use.wallSeconds <= 0)
        return;
    judgeTime(report);
    judgePages(steps, report);
}

void ProcessorGate::judgeTime(GateReport& report) const
{
    const double lacking = m_use.lacking(m_threads);
    const double share = 1.0 - lacking / m_threads;
    report.readings.processorShare = share;
    const double maxLacking = m_threads * (1.0 - undisturbedShare);
    if (!m_use.busySeconds) {
        if (lacking > maxLacking)
            report.disturbances.push_back(roundedText(100 * share, 0) +
                                          " % of the processor was given to the trial");
        return;
    }
    const double foreign = m_use.foreign();
    report.readings.foreignProcessors = foreign;
    if (m_work == Work::Steps)
        report.readings.contention = m_use.contention(m_threads);
    const double surelyForeign = foreign - std::sqrt(m_use.busyVariance) / m_use.wallSeconds;
    if (m_use.taken(m_threads, surelyForeign) > maxLacking)
        report.disturbances.push_back("other programs used " + roundedText(foreign, 1) + " of " +
                                      std::to_string(m_use.processors) + " processors");
}

void ProcessorGate::judgePages(int steps, GateReport& report) const
{
    // Pages that the kernel provides are part of the cost of a step on a processor.
    report.readings.minorPageFaultsPerStep = static_cast<double>(m_use.own.minorPageFaults) / steps;
    const auto major = static_cast<double>(m_use.own.majorPageFaults);
    report.readings.majorPageFaultsPerStep = major / steps;
    if (major / steps >= maxMajorPageFaultsPerStep)
        report.disturbances.push_back(roundedText(major, 0) + " pages of memory were read from a disk");
}

} // namespace batchpeak::worker
