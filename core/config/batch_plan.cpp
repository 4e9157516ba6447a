// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_plan.h"

#include "accumulation/even_spread.h"

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

} // namespace batchpeak::config
