// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "trial/trial_request.h"
#include "trial/trial_result.h"
#include "trial_clock.h"
#include "trial_gate.h"
#include "trial_steps.h"

namespace batchpeak::worker {

/// Runs one trial: warm-up, then timed steps, as the request says.
///
/// This function decides when warm-up ends, how many steps are timed, and how the trial ended. The steps and
/// their owner decide what a step is, and how a device recovers from a failed one.
///
/// \param gates  watch the timed steps
Answer<trial::TrialResult> runTrial(const trial::TrialRequest& request, TrialSteps& steps,
                                    const TrialClock& clock, TrialGates gates, const RequestContext& context);

} // namespace batchpeak::worker
