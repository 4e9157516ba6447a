// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_plan.h"

#include "accumulation/micro_batches.h"

namespace batchpeak::config {

namespace {

/// For positive numbers; does not overflow.
std::int64_t ceilOfQuotient(std::int64_t dividend, std::int64_t divisor)
{
    return (dividend - 1) / divisor + 1;
}

std::string toText(const Explore& explore)
{
    if (!explore.minimum && !explore.maximum)
        return "explore";
    std::string bounds;
    if (explore.minimum)
        bounds += "min: " + std::to_string(*explore.minimum);
    if (explore.maximum)
        bounds += (bounds.empty() ? "max: " : ", max: ") + std::to_string(*explore.maximum);
    return "{explore: {" + bounds + "}}";
}

std::string toText(const Auto&)
{
    return "auto";
}

std::string toText(const Fixed& fixed)
{
    return std::to_string(fixed.microBatchSize);
}

std::string toText(const Whole&)
{
    return "null";
}

} // namespace

std::string toText(const Setting& setting)
{
    return std::visit([](const auto& value) { return toText(value); }, setting);
}

std::optional<std::int64_t> BatchPlan::writtenSize() const
{
    if (const auto* fixed = std::get_if<Fixed>(&setting))
        return fixed->microBatchSize;
    return presentSize;
}

std::int64_t BatchPlan::perDeviceBatch() const
{
    return ceilOfQuotient(globalBatchSize, devices);
}

std::int64_t BatchPlan::accumulationSteps(std::int64_t microBatchSize) const
{
    return accumulation::evenSpread(perDeviceBatch(), microBatchSize).microBatches();
}

std::int64_t BatchPlan::evenMicroBatch(std::int64_t microBatchSize) const
{
    return accumulation::evenSpread(perDeviceBatch(), microBatchSize).largest();
}

bool BatchPlan::dividesExactly(std::int64_t microBatchSize) const
{
    return globalBatchSize % microBatchSize == 0 && (globalBatchSize / microBatchSize) % devices == 0;
}

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
           "spread them evenly.";
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
