// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "interruption.h"
#include "trial/comparison.h"
#include "trial/trial_result.h"
#include "trial_clock.h"
#include "trial_gate.h"
#include "trial_steps.h"

namespace batchpeak::worker {

/// Compares sizes: runs three untimed steps of each, which also measure its memory, and then visits all of
/// them in order and back again.
///
/// Either every size is measured completely or the comparison ends. The caller decides what happens to a
/// size, and whether the size has run alone before. If the allocator has to flush its cache between visits,
/// all visits still run, and the flag "thrashes" says that they are worthless. That is not a failure of a
/// size: each fits alone, and only all of them together are too much.
///
/// \param gates  watch the timed steps of the visits
Answer<trial::TrialResult> runComparison(const trial::CompareRequest& request, TrialSteps& steps,
                                         const TrialClock& clock, TrialGates gates,
                                         const RequestContext& context);

} // namespace batchpeak::worker
