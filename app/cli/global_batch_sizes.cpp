// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "global_batch_sizes.h"

namespace batchpeak::cli {

std::vector<std::int64_t> nearestGlobalBatchSizes(const config::BatchPlan& plan, std::int64_t microBatchSize)
{
    const std::int64_t unit = microBatchSize * plan.devices;
    const std::int64_t below = plan.globalBatchSize / unit * unit;
    if (below == plan.globalBatchSize)
        return {below};
    if (below == 0)
        return {unit};
    return {below, below + unit};
}

} // namespace batchpeak::cli
