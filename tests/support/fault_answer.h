// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_result.h"

#include <cstdint>
#include <string>

namespace batchpeak::test {

/// Makes of a good answer what a fault does to trials and to batches alike.
///
/// \param result  a trial::TrialResult or a trial::BatchResult
/// \return whether the fault is one of those
template<typename Result>
bool distortAnswer(const std::string& fault, Result& result)
{
    if (fault == "wrong-id") {
        result.id += 1000;
    } else if (fault == "wrong-size") {
        ++result.microBatchSize;
    } else if (fault == "failed" || fault == "unsupported" || fault == "timeout" || fault == "oom") {
        result = {.id = result.id,
                  .microBatchSize = result.microBatchSize,
                  .outcome = *trial::outcomeFromText(fault),
                  .text = "The fake worker was told to answer so."};
    } else if (fault == "lost-memory") {
        result.outcome = trial::Outcome::OutOfMemory;
        result.isLast = true;
    } else if (fault == "host-memory") {
        result.outcome = trial::Outcome::OutOfMemory;
        result.refusedHostBytes = std::int64_t{3} << 30;
    } else if (fault == "thrash") {
        result.allocationRetries = 3;
    } else {
        return false;
    }
    return true;
}

} // namespace batchpeak::test
