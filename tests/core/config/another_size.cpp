// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "another_size.h"

namespace batchpeak::config {

namespace {

bool isAccepted(const ConfigDocument& format, const ChosenSize& chosen)
{
    try {
        format.withMicroBatchSize(chosen);
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

} // namespace

ChosenSize anotherSize(const ConfigDocument& format, model::Phase phase, const BatchPlan& plan)
{
    for (std::int64_t size = 2; size <= plan.perDeviceBatch(); ++size) {
        const ChosenSize chosen{.phase = phase, .microBatchSize = size};
        if (size != plan.writtenSize() && isAccepted(format, chosen))
            return chosen;
    }
    const std::int64_t size = plan.writtenSize() == 3 ? 5 : 3;
    const ChosenSize chosen{.phase = phase, .microBatchSize = size};
    if (isAccepted(format, chosen))
        return chosen;
    return {.phase = phase, .microBatchSize = size, .globalBatchSize = size * plan.devices};
}

} // namespace batchpeak::config
