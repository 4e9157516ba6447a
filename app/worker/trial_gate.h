// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_result.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchpeak::worker {

/// The report of the gates about the timed steps of one trial.
struct GateReport
{
    trial::TrialReadings readings;
    /// Reasons why the times may not be those of the size itself: "other programs used 0.8 of 2 processors".
    std::vector<std::string> disturbances;
    /// Other notable facts about the device: "power limit: the clock of the GPU fell from 1980 to 1600 MHz".
    std::vector<std::string> notes;
};

/// Watches one resource that can spoil the times of a trial: the processor, a GPU.
///
/// A gate tells disturbed trials from undisturbed ones, and reads what the device reports about itself. The
/// parent decides what happens to a disturbed trial.
class TrialGate
{
public:
    TrialGate() = default;
    TrialGate(const TrialGate&) = delete;
    TrialGate& operator=(const TrialGate&) = delete;
    virtual ~TrialGate() = default;

    /// Called when the timed steps begin.
    virtual void begin() = 0;
    /// Called after some of the timed steps, while the device is idle.
    virtual void look() = 0;
    /// Called before other steps, while the device is idle; nothing counts that happens before resume().
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// Share that other programs took of what the steps between the last resume() and pause() could have
    /// used, 0..1; nothing if the gate does not know it. At most one gate of a trial reports it: the gate of
    /// the device that computes the steps.
    virtual std::optional<double> contention() const { return std::nullopt; }
    /// Called when the timed steps have ended, possibly during a pause; adds to the report what was seen
    /// since begin().
    /// \param steps  number of timed steps, at least one
    virtual void end(int steps, GateReport& report) = 0;
};

using TrialGates = std::span<const std::unique_ptr<TrialGate>>;

/// Formats a number for the sentence of a disturbance, the same in every locale: "0.8" for 0.84 with one
/// decimal.
std::string roundedText(double value, int decimals);

} // namespace batchpeak::worker
