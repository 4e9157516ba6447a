// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_problem.h"

namespace batchpeak::worker {

LoadProblem problemOf(const network::Failure& failure)
{
    if (failure.refusedHostBytes) {
        return {.text = "The computer's main memory ran out while the network was loaded. End other "
                        "programs, or give the container more memory. (" +
                        failure.text + ")"};
    }
    return {.text = failure.text, .sticky = failure.sticky};
}

bool isOutOfDeviceMemory(const network::Failure& failure)
{
    return failure.outcome == trial::Outcome::OutOfMemory && !failure.refusedHostBytes;
}

} // namespace batchpeak::worker
