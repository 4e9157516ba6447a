// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "steppable.h"
#include "trial/protocol.h"
#include "trial_clock.h"
#include "trial_gate.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace batchpeak::worker {

/// What a trial has to do with the rest of the worker.
struct TrialContext
{
    /// Told of each step, as it becomes known.
    std::function<void(const trial::Step&)> report;
    /// The parent has cancelled this trial; asked from any thread.
    std::function<bool()> cancelled;
    /// Watch the timed steps.
    std::span<const std::unique_ptr<TrialGate>> gates;
};

/// A trial and the failure that ended it, if one did: the device is then not fit for another before it
/// has recovered.
struct TrialEnd
{
    trial::TrialResult result;
    std::optional<Interruption> interruption;
};

/// Runs one trial: warm-up, then timed steps, as the request says.
///
/// It decides when warm-up ends, how many steps are timed, and how the trial ended. What a step is, and
/// how a device recovers from a failed one, belongs to the Steppable and its owner.
class TrialRunner
{
public:
    TrialRunner(Steppable& steps, const TrialClock& clock) : m_steps(steps), m_clock(clock) {}

    TrialEnd run(const trial::TrialRequest& request, const TrialContext& context);

private:
    Steppable& m_steps;
    const TrialClock& m_clock;
};

} // namespace batchpeak::worker
