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

/// Compares sizes: three untimed steps of each, which also tell its memory, then visits to all of them in
/// turn and back again.
///
/// Every size is measured to the end or the comparison ends: what a size takes, and whether it ran alone
/// before, is not its business. Where the allocator had to flush its cache between visits, all of them are
/// taken nevertheless, and the flag "thrashes" says that they are worth nothing. It is no failure of a size:
/// each of them fits alone, and what is too much is their company.
///
/// \param gates  watch the timed steps of the visits
Answer<trial::TrialResult> runComparison(const trial::CompareRequest& request, TrialSteps& steps,
                                         const TrialClock& clock, TrialGates gates,
                                         const RequestContext& context);

} // namespace batchpeak::worker
