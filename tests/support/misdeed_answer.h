// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_result.h"

#include <cstdint>
#include <string>

namespace batchpeak::test {

/// Makes of a good answer what a misdeed does to trials and to batches alike.
///
/// \param result  a trial::TrialResult or a trial::BatchResult
/// \return whether the misdeed is one of those
template<typename Result>
bool distortAnswer(const std::string& misdeed, Result& result)
{
    if (misdeed == "wrong-id") {
        result.id += 1000;
    } else if (misdeed == "wrong-size") {
        ++result.microBatchSize;
    } else if (misdeed == "failed" || misdeed == "unsupported" || misdeed == "timeout" || misdeed == "oom") {
        result = {.id = result.id,
                  .microBatchSize = result.microBatchSize,
                  .outcome = *trial::outcomeFromText(misdeed),
                  .text = "The fake worker was told to answer so."};
    } else if (misdeed == "lost-memory") {
        result.outcome = trial::Outcome::OutOfMemory;
        result.isLast = true;
    } else if (misdeed == "host-memory") {
        result.outcome = trial::Outcome::OutOfMemory;
        result.refusedHostBytes = std::int64_t{3} << 30;
    } else if (misdeed == "thrash") {
        result.allocationRetries = 3;
    } else {
        return false;
    }
    return true;
}

} // namespace batchpeak::test
