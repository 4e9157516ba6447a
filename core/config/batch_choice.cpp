// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_choice.h"

namespace batchpeak::config {

namespace {

std::optional<std::int64_t> multipleBelow(std::int64_t batch, std::int64_t unit)
{
    const std::int64_t multiple = batch / unit * unit;
    return multiple > 0 ? std::optional(multiple) : std::nullopt;
}

std::string sentence(const BatchPlan& plan, std::int64_t microBatchSize, const std::string& what)
{
    const std::int64_t unit = microBatchSize * plan.devices;
    const auto below = multipleBelow(plan.globalBatchSize, unit);
    const std::string above = std::to_string(plan.globalBatchSize / unit * unit + unit);
    return "One optimizer step takes " + std::to_string(plan.globalBatchSize) + " samples (" + what +
           "), which micro-batches of " + std::to_string(microBatchSize) +
           (plan.devices > 1 ? " on " + std::to_string(plan.devices) + " devices" : std::string()) +
           " cannot make; choose a batch of " + (below ? std::to_string(*below) + " or " : std::string()) +
           above + ", or another size.";
}

} // namespace

BatchNotKept::BatchNotKept(const BatchPlan& plan, std::int64_t microBatchSize, const std::string& what,
                           TextPosition position)
    : ConfigError(sentence(plan, microBatchSize, what), position),
      m_below(multipleBelow(plan.globalBatchSize, microBatchSize * plan.devices)),
      m_above((plan.globalBatchSize / (microBatchSize * plan.devices) + 1) * microBatchSize * plan.devices)
{}

WholeBatch wholeBatch(const BatchPlan& plan, const ChosenSize& chosen, const std::string& what,
                      TextPosition position)
{
    // Sizes and batches beyond this are no samples of anything, and their products have no room.
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (chosen.microBatchSize < 1 || chosen.microBatchSize > most) {
        throw ConfigError("The micro-batch size is " + std::to_string(chosen.microBatchSize) +
                          "; write one of 1 to " + std::to_string(most) + ".");
    }
    const std::int64_t batch = chosen.globalBatchSize.value_or(plan.globalBatchSize);
    const std::int64_t unit = chosen.microBatchSize * plan.devices;
    if (batch >= 1 && batch % unit == 0)
        return {.globalBatchSize = batch, .accumulationSteps = batch / unit};
    if (!chosen.globalBatchSize)
        throw BatchNotKept(plan, chosen.microBatchSize, what, position);
    throw ConfigError("A batch of " + std::to_string(batch) + " samples is no multiple of " +
                          std::to_string(unit) +
                          ", which is the micro-batch size times the devices; choose a multiple.",
                      position);
}

} // namespace batchpeak::config
