// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/measurement.h"
#include "snapshot/snapshot.h"
#include "trial/trial_record.h"
#include "trial/trial_result.h"

namespace batchpeak::engine {

/// What visits measured of one size of a comparison; no speed where they took no step.
trial::ComparedRecord comparedRecordOf(const trial::ComparedSize& size, double optimizerSeconds,
                                       const RunDescription& run);

/// What a finished comparison measured of each of its sizes, and which of them ended it before its time: one
/// that did not fit or that failed. A worker that is lost, a cancel and a time that is up are no size's
/// fault. A size that needs more than the device has did not fit, as in a trial of its own.
void finishComparison(trial::TrialRecord& trial, const trial::TrialResult& result,
                      const DeviceSnapshot& device, const RunDescription& run);

/// What the search is told of a finished comparison: visits as far as they came, and the size that ended it.
/// Where none did (a lost worker, a time that is up, an allocator that kept flushing) it is void, of size 0.
search::Measurement measurementOfComparison(const trial::TrialRecord& trial, const trial::TrialResult& result,
                                            bool workerLost);

} // namespace batchpeak::engine
