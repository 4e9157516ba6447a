// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"
#include "snapshot/snapshot.h"
#include "trial/trial_record.h"
#include "trial/trial_result.h"

namespace batchpeak::engine {

/// Returns what the visits measured of one size of a comparison; without a speed if they took no step.
trial::ComparedRecord comparedRecordOf(const trial::ComparedSize& size, double optimizerSeconds,
                                       double reductionSeconds, const RunDescription& run);

/// Writes into \p trial what a finished comparison measured of each of its sizes, and which size ended it
/// early: one that did not fit or that failed. A lost worker, a cancellation and a time-out are not
/// attributed to a size. As in an ordinary trial, a size that needs more than the device has did not fit.
void finishComparison(trial::TrialRecord& trial, const trial::TrialResult& result,
                      const DeviceSnapshot& device, const RunDescription& run);

/// Returns what the search is told of a finished comparison: the visits that were made, and the size that
/// ended it early. If it ended early because of no size (a lost worker, a time-out, an allocator that kept
/// flushing), the measurement is void, with size 0.
search::Measurement measurementOfComparison(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                            bool workerLost);

} // namespace batchpeak::engine
