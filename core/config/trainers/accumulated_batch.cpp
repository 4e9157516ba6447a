// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulated_batch.h"

#include "cerebras/cerebras_keys.h"

namespace batchpeak::config {

namespace {

constexpr std::int64_t largestCount = std::int64_t{1} << 31;
constexpr std::string_view finderKey = "auto_find_batch_size";

std::string batchText(const AccumulationKeys& keys)
{
    return keys.microBatchSize + " * " + keys.accumulationSteps;
}

} // namespace

std::int64_t countOr(const ConfigSection& section, std::string_view key, std::int64_t otherwise)
{
    const std::int64_t count = section.integer(key).value_or(otherwise);
    if (count < 1)
        section.fail(key, "is " + std::to_string(count) + ", but must be at least 1");
    if (count > largestCount) {
        section.fail(key, "is " + std::to_string(count) + ", more than any run has; write at most " +
                              std::to_string(largestCount));
    }
    return count;
}

BatchPlan readAccumulatedBatch(const ConfigSection& section, const AccumulationKeys& keys)
{
    const std::int64_t size = countOr(section, keys.microBatchSize, keys.usualMicroBatchSize);
    return {.globalBatchSize = size * countOr(section, keys.accumulationSteps, 1),
            .setting = Explore{},
            .presentSize = size,
            .knowsDevices = false,
            .microBatchKey = keys.microBatchSize,
            .globalBatchKey = batchText(keys)};
}

BatchPlan readPlainBatch(const ConfigSection& section, std::string_view key, std::int64_t otherwise)
{
    const std::int64_t size = countOr(section, key, otherwise);
    return {.globalBatchSize = size,
            .setting = Explore{},
            .presentSize = size,
            .knowsDevices = false,
            .microBatchKey = std::string(key),
            .globalBatchKey = std::string(key)};
}

std::vector<EntryChange> accumulatedBatchChanges(const ConfigSection& section, const AccumulationKeys& keys,
                                                 const ChosenSize& chosen)
{
    const bool hasSteps = section.has(keys.accumulationSteps);
    const TextPosition position = section.positionOf(hasSteps ? keys.accumulationSteps : keys.microBatchSize);
    const WholeBatch batch =
        wholeBatch(readAccumulatedBatch(section, keys), chosen, batchText(keys), position);
    std::vector<EntryChange> changes{{.key = keys.microBatchSize,
                                      .value = std::to_string(chosen.microBatchSize),
                                      .below = keys.accumulationSteps}};
    if (hasSteps || batch.accumulationSteps > 1) {
        changes.push_back({.key = keys.accumulationSteps,
                           .value = std::to_string(batch.accumulationSteps),
                           .below = keys.microBatchSize});
    }
    return changes;
}

EntryChange plainBatchChange(std::string_view key, std::string_view below, const ChosenSize& chosen)
{
    const std::int64_t size = chosen.microBatchSize;
    if (size < 1 || size > largestCount) {
        throw ConfigError("The micro-batch size is " + std::to_string(size) + "; write one of 1 to " +
                          std::to_string(largestCount) + ".");
    }
    return {.key = std::string(key), .value = std::to_string(size), .below = std::string(below)};
}

bool findsBatchSize(const ConfigSection& section)
{
    return isSwitchedOn(section, finderKey);
}

void warnOfBatchFinder(const ConfigSection& section, std::vector<Warning>& warnings)
{
    if (!findsBatchSize(section))
        return;
    warnings.push_back({std::string(finderKey) +
                            " is on: its trainer shrinks the size when memory runs out, and the effective "
                            "batch with it. It is switched off when a size is written.",
                        section.positionOf(finderKey)});
}

void switchOffBatchFinder(const ConfigSection& section, std::vector<EntryChange>& changes,
                          std::vector<std::string>& notes)
{
    if (!findsBatchSize(section))
        return;
    changes.push_back({.key = std::string(finderKey), .value = "false"});
    notes.push_back(std::string(finderKey) +
                    " is false now: it would shrink the size when memory runs out and leave the accumulation "
                    "steps as they are, so that the effective batch would shrink without a word.");
}

} // namespace batchpeak::config
