// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchpeak::trial {

/// What a device and its computer told of themselves while the timed steps of a trial ran; what is not
/// measured there is absent.
struct TrialReadings
{
    /// What the processor gave the threads of a step, of what they could use: 0..1.
    std::optional<double> processorShare;
    /// Processors that other programs kept busy in the mean, of those that the trial may run on.
    std::optional<double> foreignProcessors;
    /// Pages that the kernel had to hand out; pages that it had to read from a disk.
    std::optional<double> minorPageFaultsPerStep;
    std::optional<double> majorPageFaultsPerStep;
    /// Energy that the whole device took for all timed steps, each with its optimizer step.
    std::optional<double> energyJoules;
    std::optional<double> meanPowerWatts;
    /// The highest.
    std::optional<double> temperatureCelsius;
    /// The lowest.
    std::optional<double> clockMegahertz;

    bool operator==(const TrialReadings&) const = default;
};

} // namespace batchpeak::trial
