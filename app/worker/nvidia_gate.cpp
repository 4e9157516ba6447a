// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "nvidia_gate.h"

#include <algorithm>
#include <span>

namespace batchpeak::worker {

namespace {

namespace slowdown = device::slowdown;

// The clock of a healthy GPU moves by one step of 15 MHz, less than 1 %.
constexpr double largestClockFall = 0.05;
// The counter is updated every 20 to 100 ms, so over this time either end is off by a quarter at most. It is
// also the shortest time that a trial of the search is timed for. All trials of a size together are that much
// more accurate.
constexpr double shortestEnergySeconds = 0.4;

using Reading = std::optional<double> device::NvidiaCondition::*;

std::vector<double> valuesOf(std::span<const device::NvidiaCondition> seen, Reading reading)
{
    std::vector<double> values;
    for (const device::NvidiaCondition& condition : seen) {
        if (condition.*reading)
            values.push_back(*(condition.*reading));
    }
    return values;
}

std::optional<double> meanOf(const std::vector<double>& values)
{
    if (values.empty())
        return std::nullopt;
    double sum = 0.0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

const char* reasonFor(std::uint64_t bits)
{
    if ((bits & (slowdown::softwareThermal | slowdown::hardwareThermal)) != 0)
        return "the GPU was too hot for its full clock";
    if ((bits & slowdown::powerBrake) != 0)
        return "the power supply slowed the GPU down";
    if ((bits & slowdown::hardware) != 0)
        return "the hardware slowed the GPU down";
    return nullptr;
}

} // namespace

void NvidiaGate::begin()
{
    m_seen.assign(1, m_read());
    m_beginSeconds = m_clock.wallSeconds();
    if (!m_known)
        m_known = m_seen.front().processes;
    resume();
}

void NvidiaGate::look()
{
    m_seen.push_back(m_read());
}

std::optional<double> NvidiaGate::contentionSince(std::size_t look) const
{
    return meanOf(valuesOf(std::span(m_seen).subspan(look), &device::NvidiaCondition::othersShare));
}

void NvidiaGate::end(int /*steps*/, GateReport& report)
{
    // The reading of begin() covers the time before the trial.
    report.readings.contention = contentionSince(1);
    // The last look has just been taken.
    readEnergy(report);
    report.readings.meanPowerWatts = meanOf(valuesOf(m_seen, &device::NvidiaCondition::powerWatts));
    const auto temperatures = valuesOf(m_seen, &device::NvidiaCondition::temperatureCelsius);
    if (!temperatures.empty())
        report.readings.temperatureCelsius = std::ranges::max(temperatures);
    judgeClock(report);
    judgeCompany(report);
}

void NvidiaGate::judgeClock(GateReport& report) const
{
    std::uint64_t reasons = 0;
    for (const device::NvidiaCondition& condition : m_seen)
        reasons |= condition.clockReasons;
    if (const char* reason = reasonFor(reasons))
        report.disturbances.emplace_back(reason);

    const auto clocks = valuesOf(m_seen, &device::NvidiaCondition::clockMegahertz);
    if (clocks.empty())
        return;
    report.readings.clockMegahertz = std::ranges::min(clocks);
    double highest = 0.0;
    std::optional<std::string> ownFall;
    for (const device::NvidiaCondition& condition : m_seen) {
        if (!condition.clockMegahertz)
            continue;
        const double clock = *condition.clockMegahertz;
        highest = std::max(highest, clock);
        if (clock >= (1.0 - largestClockFall) * highest)
            continue;
        const std::string fall = "the clock of the GPU fell from " + roundedText(highest, 0) + " to " +
                                 roundedText(clock, 0) + " MHz";
        if ((condition.clockReasons & slowdown::softwarePower) == 0) {
            report.disturbances.push_back(fall);
            return;
        }
        if (!ownFall)
            ownFall = "power limit: " + fall;
    }
    if (ownFall)
        report.notes.push_back(*ownFall);
}

void NvidiaGate::judgeCompany(GateReport& report) const
{
    if (!m_known)
        return;
    for (const device::NvidiaCondition& condition : m_seen) {
        if (condition.processes && !std::ranges::includes(*m_known, *condition.processes)) {
            report.disturbances.emplace_back("another program began to use the GPU");
            return;
        }
    }
}

void NvidiaGate::readEnergy(GateReport& report) const
{
    const auto& before = m_seen.front().energyJoules;
    const auto& after = m_seen.back().energyJoules;
    const double seconds = m_clock.wallSeconds() - m_beginSeconds;
    if (before && after && *after > *before && seconds >= shortestEnergySeconds)
        report.readings.energyJoules = *after - *before;
}

} // namespace batchpeak::worker
