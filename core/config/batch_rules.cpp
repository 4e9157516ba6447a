// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_rules.h"

namespace batchpeak::config {

std::string samplesText(std::int64_t count)
{
    return std::to_string(count) + (count == 1 ? " sample" : " samples");
}

std::string divisionText(const BatchPlan& plan, std::int64_t microBatchSize)
{
    return samplesText(plan.globalBatchSize) + " of " + plan.globalBatchKey +
           (plan.globalBatchSize == 1 ? " is " : " are ") +
           (plan.dividesExactly(microBatchSize) ? "a" : "no") + " multiple of micro-batches of " +
           std::to_string(microBatchSize) +
           (plan.devices > 1 ? " on " + std::to_string(plan.devices) + " devices" : std::string());
}

std::optional<std::string> strictRuleProblem(const BatchPlan& plan, std::int64_t microBatchSize)
{
    if (plan.dividesExactly(microBatchSize))
        return std::nullopt;
    return "The " + divisionText(plan, microBatchSize) +
           ", which the strict rule refuses; choose a size that divides them, or leave out --strict to "
           "spread "
           "them "
           "evenly.";
}

std::optional<std::string> evenSpreadText(const BatchPlan& plan, std::int64_t microBatchSize)
{
    const std::int64_t perDevice = plan.perDeviceBatch();
    if (perDevice % microBatchSize == 0)
        return std::nullopt;
    const std::int64_t steps = plan.accumulationSteps(microBatchSize);
    return "The " + plan.microBatchKey + " " + std::to_string(microBatchSize) + " does not divide the " +
           samplesText(perDevice) + " of one device and step; they run as " + std::to_string(steps) +
           (steps == 1 ? " micro-batch of " : " micro-batches of at most ") +
           std::to_string(plan.evenMicroBatch(microBatchSize)) + ".";
}

} // namespace batchpeak::config
