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

/// What gates say of the timed steps of one trial.
struct GateReport
{
    trial::TrialReadings readings;
    /// Why the times may not be the size's own: "other programs used 0.8 of 2 processors".
    std::vector<std::string> disturbances;
    /// What else is worth telling of the device: "power limit: the clock of the GPU fell from 1980 to 1600
    /// MHz".
    std::vector<std::string> notes;
};

/// Watches one thing beside a trial that can spoil its times: the processor, a GPU.
///
/// It tells disturbed trials from calm ones, and reads what the device says of itself. What becomes of a
/// disturbed trial is the parent's to decide.
class TrialGate
{
public:
    TrialGate() = default;
    TrialGate(const TrialGate&) = delete;
    TrialGate& operator=(const TrialGate&) = delete;
    virtual ~TrialGate() = default;

    /// The timed steps begin.
    virtual void begin() = 0;
    /// Some of them have been taken, and the device has nothing to do just now.
    virtual void look() = 0;
    /// Other steps come in between; nothing counts that happens before resume(). The device has nothing to
    /// do.
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// Share of what the steps between the last resume() and pause() could have used that other programs
    /// took, 0..1; nothing where the gate does not tell. Of the gates of one trial at most one tells: that of
    /// the device which computes the steps.
    virtual std::optional<double> contention() const { return std::nullopt; }
    /// They have ended, be it in a pause; what was seen since begin() is added to the report.
    /// \param steps  how many they were, at least one
    virtual void end(int steps, GateReport& report) = 0;
};

using TrialGates = std::span<const std::unique_ptr<TrialGate>>;

/// A number in the sentence of a disturbance, the same in every locale: "0.8" for 0.84 with one decimal.
std::string roundedText(double value, int decimals);

} // namespace batchpeak::worker
