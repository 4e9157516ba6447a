// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"

#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "unmodeled_features.h"

namespace batchpeak::config {

namespace {

constexpr const char* legalSettings =
    "write explore, {explore: {min: 2, max: 64}}, auto, null or a whole number from 1 to batch_size";

std::optional<std::int64_t> readBound(const ConfigSection& bounds, std::string_view key)
{
    const auto bound = bounds.integer(key);
    if (bound && *bound < 1)
        bounds.fail(key, "is {}, but a micro-batch has at least 1 sample", *bound);
    return bound;
}

void refuseAllBut(const ConfigSection& section, std::string_view known)
{
    for (std::string_view key : section.keys()) {
        if (!isAmong(key, known))
            section.fail(key, "has no meaning there; {}", legalSettings);
    }
}

Explore readExplore(const ConfigSection& setting)
{
    refuseAllBut(setting, "explore");
    const auto bounds = setting.section("explore");
    if (!bounds)
        setting.fail("explore",
                     "must hold bounds, as in {explore: {min: 2, max: 64}}, or be the word explore alone");
    refuseAllBut(*bounds, "min max");
    const Explore explore{.minimum = readBound(*bounds, "min"), .maximum = readBound(*bounds, "max")};
    if (explore.minimum && explore.maximum && *explore.minimum > *explore.maximum)
        bounds->fail("min", "is {}, above max, which is {}; exchange them", *explore.minimum,
                     *explore.maximum);
    return explore;
}

std::string batchText(const AccumulationKeys& keys)
{
    return std::string(keys.microBatchSize) + " * " + std::string(keys.accumulationSteps);
}

ConfigError aboveBatch(std::int64_t microBatchSize, const BatchPlan& plan, TextPosition position)
{
    if (plan.devices == 1) {
        return errorAt(position,
                       "The micro_batch_size {} is above the batch_size {}; lower it, or raise batch_size to "
                       "a multiple of it.",
                       microBatchSize, plan.globalBatchSize);
    }
    return errorAt(position,
                   "The micro_batch_size {} is above the {} that each of {} devices takes of the batch_size "
                   "{}; lower it, or raise batch_size to a multiple of it for each device.",
                   microBatchSize, samplesText(plan.perDeviceBatch()), plan.devices, plan.globalBatchSize);
}

} // namespace

std::int64_t readDevices(const ConfigSection& section, std::string_view key)
{
    const std::int64_t devices = section.integer(key).value_or(1);
    if (devices < 1)
        section.fail(key, "is {}, but a run needs at least 1 device", devices);
    return devices;
}

std::int64_t readGlobalBatchSize(const ConfigSection& input, std::int64_t devices, const GlobalKeys& keys)
{
    const auto batchSize = input.integer(keys.batchSize);
    if (!batchSize) {
        throw errorAt(input.positionOf(keys.batchSize),
                      "{} is missing; write how many samples one optimizer step takes over all devices.",
                      input.pathOf(keys.batchSize));
    }
    if (*batchSize < 1)
        input.fail(keys.batchSize, "is {}, but a batch has at least 1 sample", *batchSize);
    if (*batchSize < devices) {
        input.fail(keys.batchSize,
                   "is {}, less than {} ({}), so some devices would idle; raise {} or lower {}", *batchSize,
                   keys.devices, devices, keys.batchSize, keys.devices);
    }
    return *batchSize;
}

Setting readSetting(const ConfigSection& section, std::string_view key, std::int64_t globalBatchSize,
                    std::vector<Warning>& warnings)
{
    const auto entry = section.find(key);
    // Default of micro_batch_size in ModelZoo 2.3.1, config_manager/config_classes/base/data_config.py.
    if (!entry)
        return Auto{};
    const YamlNode& value = *entry->target;
    if (isNull(value))
        return Whole{};
    if (value.kind == NodeKind::Mapping)
        return readExplore(ConfigSection(section.document(), value, section.pathOf(key)));
    if (value.kind == NodeKind::Sequence)
        section.fail(key, "is a list; {}", legalSettings);
    if (value.value == "auto")
        return Auto{};
    if (value.value == "explore")
        return Explore{};
    if (value.value == "none" || value.value == "None") {
        warn(warnings, section.positionOf(key),
             "{} is \"{}\", read as null here; Cerebras' programs refuse it, so write null.",
             section.pathOf(key), value.value);
        return Whole{};
    }
    if (isTooLarge(value))
        section.fail(key, "is {}, which is too large; {}", described(value), legalSettings);
    const auto size = asInteger(value);
    if (!size) {
        section.fail(key, "is {}; {}{}", described(value), legalSettings,
                     value.plain ? "" : ", without quotation marks");
    }
    checkMicroBatchSize(*size, globalBatchSize, section.positionOf(key));
    return Fixed{*size};
}

void warnOfUnevenDivision(const BatchPlan& plan, TextPosition position, std::vector<Warning>& warnings,
                          const GlobalKeys& keys)
{
    const std::int64_t perDevice = plan.perDeviceBatch();
    if (plan.globalBatchSize % plan.devices != 0) {
        warn(warnings, position,
             "The {} {} is no multiple of {} ({}); some devices take {} of a step and others {}.",
             keys.batchSize, plan.globalBatchSize, keys.devices, plan.devices, samplesText(perDevice),
             perDevice - 1);
    }
    const auto* fixed = std::get_if<Fixed>(&plan.setting);
    if (const auto spread = fixed ? evenSpreadText(plan, fixed->microBatchSize) : std::nullopt)
        warnings.push_back({*spread, position});
}

void noteStrictRule(const BatchPlan& plan, std::int64_t microBatchSize, std::vector<std::string>& notes)
{
    if (plan.dividesExactly(microBatchSize))
        return;
    notes.push_back(
        sentence("The {}; later Cerebras releases spread them evenly, those up to 2.1 refuse them.",
                 divisionText(plan, microBatchSize)));
}

void checkMicroBatchSize(std::int64_t microBatchSize, std::int64_t globalBatchSize, TextPosition position)
{
    if (microBatchSize < 1) {
        throw errorAt(position,
                      "The micro_batch_size is {}, but a micro-batch has at least 1 sample; write a number "
                      "from 1 to batch_size ({}).",
                      microBatchSize, globalBatchSize);
    }
    if (microBatchSize > globalBatchSize)
        throw aboveBatch(microBatchSize, {.globalBatchSize = globalBatchSize}, position);
}

void checkChosenSize(const BatchPlan& plan, const ChosenSize& chosen, TextPosition position)
{
    if (!chosen.globalBatchSize && chosen.microBatchSize > plan.perDeviceBatch())
        refuseSizeAboveBatch(aboveBatch(chosen.microBatchSize, plan, position), plan, chosen);
    checkMicroBatchSize(chosen.microBatchSize, chosen.globalBatchSize.value_or(plan.globalBatchSize),
                        position);
}

void refuseSizeAboveBatch(const ConfigError& words, const BatchPlan& plan, const ChosenSize& chosen)
{
    checkSize(chosen.microBatchSize);
    if (chosen.globalBatchSize)
        throw words;
    throw BatchNotKept(words, BatchNotKept(plan, chosen, words.position()));
}

std::vector<EntryChange> globalBatchChanges(const std::vector<std::string>& section, const GlobalKeys& keys,
                                            const ChosenSize& chosen)
{
    std::vector<EntryChange> changes{countChange(keys.microBatchSize, chosen.microBatchSize, keys.batchSize)};
    if (chosen.globalBatchSize)
        changes.push_back(countChange(keys.batchSize, *chosen.globalBatchSize, keys.microBatchSize));
    for (EntryChange& change : changes)
        change.section = section;
    return changes;
}

std::int64_t countOr(const ConfigSection& section, std::string_view key, std::int64_t otherwise)
{
    const std::int64_t count = section.integer(key).value_or(otherwise);
    if (count < 1)
        section.fail(key, "is {}, but must be at least 1", count);
    if (count > maxSamples)
        section.fail(key, "is {}, more than any run has; write at most {}", count, maxSamples);
    return count;
}

BatchPlan readAccumulatedBatch(const ConfigSection& section, const AccumulationKeys& keys)
{
    const std::int64_t size = countOr(section, keys.microBatchSize, keys.defaultMicroBatchSize);
    return {.globalBatchSize = size * countOr(section, keys.accumulationSteps, 1),
            .setting = Explore{},
            .presentSize = size,
            .knowsDevices = false,
            .isOverAllDevices = false,
            .microBatchKey = std::string(keys.microBatchSize),
            .globalBatchKey = batchText(keys)};
}

std::vector<EntryChange> accumulatedBatchChanges(const ConfigSection& section, const AccumulationKeys& keys,
                                                 const ChosenSize& chosen)
{
    const bool hasSteps = section.has(keys.accumulationSteps);
    const TextPosition position = section.positionOf(hasSteps ? keys.accumulationSteps : keys.microBatchSize);
    const WholeBatch batch = wholeBatch(readAccumulatedBatch(section, keys), chosen, position);
    std::vector<EntryChange> changes{
        countChange(keys.microBatchSize, chosen.microBatchSize, keys.accumulationSteps)};
    if (hasSteps || batch.accumulationSteps > 1)
        changes.push_back(countChange(keys.accumulationSteps, batch.accumulationSteps, keys.microBatchSize));
    return changes;
}

BatchPlan readPlainBatch(const ConfigSection& section, std::string_view key, std::int64_t otherwise)
{
    return plainBatch(key, countOr(section, key, otherwise));
}

BatchPlan plainBatch(std::string_view key, std::optional<std::int64_t> size)
{
    return {.globalBatchSize = size.value_or(1),
            .setting = Explore{},
            .presentSize = size,
            .knowsDevices = false,
            .isOverAllDevices = false,
            .microBatchKey = std::string(key),
            .globalBatchKey = std::string(key)};
}

EntryChange plainBatchChange(std::string_view key, std::string_view below, const ChosenSize& chosen)
{
    checkSize(chosen.microBatchSize);
    return countChange(key, chosen.microBatchSize, below);
}

EntryChange countChange(std::string_view key, std::int64_t count, std::string_view below)
{
    return {.key = std::string(key), .value = std::to_string(count), .below = std::string(below)};
}

SplicedText withChanges(const ConfigSection& section, const std::vector<EntryChange>& changes,
                        const std::vector<std::string>& notes)
{
    SplicedText spliced = withEntries(section.document(), section.dialect(), changes);
    spliced.notes.insert(spliced.notes.end(), notes.begin(), notes.end());
    return spliced;
}

} // namespace batchpeak::config
