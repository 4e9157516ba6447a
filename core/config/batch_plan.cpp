// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_plan.h"

#include "accumulation/micro_batches.h"
#include "syntax/words.h"

#include <utility>

namespace batchpeak::config {

namespace {

/// Requires positive numbers; does not overflow.
std::int64_t ceilOfQuotient(std::int64_t dividend, std::int64_t divisor)
{
    return (dividend - 1) / divisor + 1;
}

std::string onDevices(const BatchPlan& plan)
{
    return plan.devices > 1 ? sentence(" on {} devices", plan.devices) : "";
}

} // namespace

std::string toText(const Setting& setting)
{
    if (std::holds_alternative<Auto>(setting))
        return "auto";
    if (std::holds_alternative<Whole>(setting))
        return "null";
    if (const auto* fixed = std::get_if<Fixed>(&setting))
        return std::to_string(fixed->microBatchSize);
    const auto& [minimum, maximum] = std::get<Explore>(setting);
    if (!minimum && !maximum)
        return "explore";
    return "{explore: {" + (minimum ? sentence("min: {}", *minimum) : "") + (minimum && maximum ? ", " : "") +
           (maximum ? sentence("max: {}", *maximum) : "") + "}}";
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

std::vector<DeviceShare> sharesOf(const BatchPlan& plan, std::int64_t microBatchSize)
{
    std::vector<DeviceShare> shares;
    const std::int64_t fewer = plan.globalBatchSize / plan.devices;
    const std::int64_t withOneMore = plan.globalBatchSize % plan.devices;
    for (const auto& [devices, samples] :
         {std::pair(withOneMore, fewer + 1), std::pair(plan.devices - withOneMore, fewer)}) {
        if (devices == 0 || samples == 0)
            continue;
        const auto spread = accumulation::evenSpread(samples, microBatchSize);
        shares.push_back({.devices = devices,
                          .samples = samples,
                          .size = spread.size,
                          .ofSize = spread.ofSize,
                          .ofOneMore = spread.ofOneMore});
    }
    return shares;
}

std::string samplesText(std::int64_t count)
{
    return std::to_string(count) + (count == 1 ? " sample" : " samples");
}

std::string divisionText(const BatchPlan& plan, std::int64_t microBatchSize)
{
    return sentence("{} of {} {} {} multiple of micro-batches of {}{}", samplesText(plan.globalBatchSize),
                    plan.globalBatchKey, plan.globalBatchSize == 1 ? "is" : "are",
                    plan.dividesExactly(microBatchSize) ? "a" : "no", microBatchSize, onDevices(plan));
}

std::optional<std::string> strictRuleProblem(const BatchPlan& plan, std::int64_t microBatchSize)
{
    if (plan.dividesExactly(microBatchSize))
        return std::nullopt;
    return sentence("The {}, which the strict rule refuses; choose a size that divides them, or leave out "
                    "--strict to spread them evenly.",
                    divisionText(plan, microBatchSize));
}

std::optional<std::string> evenSpreadText(const BatchPlan& plan, std::int64_t microBatchSize)
{
    const std::int64_t perDevice = plan.perDeviceBatch();
    if (perDevice % microBatchSize == 0)
        return std::nullopt;
    const std::int64_t steps = plan.accumulationSteps(microBatchSize);
    return sentence("The {} {} does not divide the {} of a device's step; they run as {} {} {}.",
                    plan.microBatchKey, microBatchSize, samplesText(perDevice), steps,
                    steps == 1 ? "micro-batch of" : "micro-batches of at most",
                    plan.evenMicroBatch(microBatchSize));
}

namespace {

std::optional<std::int64_t> multipleBelow(std::int64_t batch, std::int64_t unit)
{
    const std::int64_t multiple = batch / unit * unit;
    return multiple > 0 ? std::optional(multiple) : std::nullopt;
}

std::int64_t multipleAbove(std::int64_t batch, std::int64_t unit)
{
    return (batch / unit + 1) * unit;
}

std::string notKept(const BatchPlan& plan, std::int64_t microBatchSize)
{
    return sentence("A batch of {} cannot be split into micro-batches of {}{}.", plan.globalBatchSize,
                    microBatchSize, onDevices(plan));
}

} // namespace

BatchNotKept::BatchNotKept(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position)
    : ConfigError(notKept(plan, chosen.microBatchSize), position),
      m_phase(chosen.phase),
      m_unit(chosen.microBatchSize * plan.devices),
      m_below(multipleBelow(plan.globalBatchSize, m_unit)),
      m_above(multipleAbove(plan.globalBatchSize, m_unit))
{}

void checkSize(std::int64_t microBatchSize)
{
    if (microBatchSize < 1 || microBatchSize > maxSamples) {
        throw errorAt({}, "The micro-batch size is {}; write one of 1 to {}.", microBatchSize, maxSamples);
    }
}

WholeBatch wholeBatch(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position)
{
    checkSize(chosen.microBatchSize);
    const std::int64_t batch = chosen.globalBatchSize.value_or(plan.globalBatchSize);
    const std::int64_t unit = chosen.microBatchSize * plan.devices;
    if (batch >= 1 && batch % unit == 0)
        return {.globalBatchSize = batch, .accumulationSteps = batch / unit};
    if (!chosen.globalBatchSize)
        throw BatchNotKept(plan, chosen, position);
    throw errorAt(position, "A batch of {} cannot be split into micro-batches of {}{}; use a multiple of {}.",
                  batch, chosen.microBatchSize, onDevices(plan), unit);
}

} // namespace batchpeak::config
