// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding.h"

#include "approximations.h"
#include "differences.h"
#include "networks/peft_adapter.h"
#include "syntax/words.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace batchpeak::config {

using model::Sharding;

namespace {

constexpr std::string_view fsdpKey = "fsdp";
constexpr std::string_view fsdpConfigKey = "fsdp_config";
constexpr std::string_view deepSpeedKey = "deepspeed";
constexpr std::string_view spreadText = "{} spreads the network over devices";

/// Keys of accelerate begin with fsdp_, those of axolotl since 0.11 do not (utils/schemas/fsdp.py).
std::string keyIn(const ConfigSection& section, std::string_view key)
{
    std::string older = "fsdp_" + std::string(key);
    return section.has(older) ? older : std::string(key);
}

/// Words of FSDPOption in transformers 5.23, trainer_utils.py, and of ShardingStrategy in PyTorch,
/// torch/distributed/fsdp/api.py.
std::optional<Sharding> strategyOf(const std::string& word)
{
    const std::string name = lowerCase(word);
    if (isAmong(name, "full_shard hybrid_shard 1 4"))
        return Sharding::Parameters;
    if (isAmong(name, "shard_grad_op hybrid_shard_zero2 _hybrid_shard_zero2 2 5"))
        return Sharding::Gradients;
    return isAmong(name, "no_shard 3") ? std::optional(Sharding::None) : std::nullopt;
}

std::vector<std::string> fsdpWords(const ConfigSection& root)
{
    std::vector<std::string> words;
    const YamlNode* value = root.value(fsdpKey);
    if (!value || value->kind == NodeKind::Mapping)
        return words;
    for (const std::string& text : readTexts(root, fsdpKey)) {
        for (std::string_view word : splitWords(text))
            words.emplace_back(word);
    }
    return words;
}

Sharding readFsdpStrategy(const std::vector<std::string>& words, const ConfigSection& config)
{
    Sharding sharding = Sharding::Parameters;
    for (const std::string& word : words)
        sharding = strategyOf(word).value_or(sharding);
    if (const auto written = config.text(keyIn(config, "sharding_strategy")))
        sharding = strategyOf(*written).value_or(sharding);
    // Of FSDP 2, which has no strategies; accelerate takes the words of strategies here too.
    const std::string reshardKey = keyIn(config, "reshard_after_forward");
    if (const auto written = config.text(reshardKey))
        sharding = strategyOf(*written).value_or(config.isOn(reshardKey) ? Sharding::Parameters
                                                                         : Sharding::Gradients);
    return sharding;
}

void readFsdp(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection config = root.sectionIfAny(fsdpConfigKey);
    const std::vector<std::string> words = fsdpWords(root);
    const std::string_view key = root.isOn(fsdpKey) ? fsdpKey : fsdpConfigKey;
    contents.step.sharding = readFsdpStrategy(words, config);
    if (contents.step.sharding != Sharding::None) {
        warnOfSharding(root.positionOf(key), sentence(spreadText, key), contents);
    }
    // The first is the word of transformers 5.23 (fsdp_config in training_args.py).
    const std::string offloadKey =
        config.has("cpu_offload") ? "cpu_offload" : keyIn(config, "offload_params");
    const bool offloads = std::ranges::find(words, "offload") != words.end() || config.isOn(offloadKey);
    if (offloads) {
        contents.step.optimizerOnHost = true;
        warnOfApproximation(contents.warnings,
                            config.has(offloadKey) ? config.positionOf(offloadKey) : root.positionOf(key),
                            approximation::hostWeights, hostWeightsText);
    }
    if (config.isOn(keyIn(config, "activation_checkpointing")))
        contents.step.activationCheckpointing = true;
}

/// Stages of ZeRO, by zero_optimization of DeepSpeed's settings.
void readDeepSpeed(const ConfigSection& root, ConfigContents& contents)
{
    if (!root.hasSection(deepSpeedKey)) {
        warnOfApproximation(contents.warnings, root.positionOf(deepSpeedKey), approximation::otherFile,
                            "{} can spread the network over devices or move parts of it to the host; trials "
                            "hold all of it on "
                            "one device, so larger sizes may fit in the run.",
                            root.pathOf(deepSpeedKey));
        return;
    }
    const ConfigSection zero = root.section(deepSpeedKey)->sectionIfAny("zero_optimization");
    constexpr std::array stages{Sharding::None, Sharding::Optimizer, Sharding::Gradients,
                                Sharding::Parameters};
    const std::int64_t stage = zero.integer("stage").value_or(0);
    if (stage < 0 || stage > 3)
        zero.fail("stage", "is {}; the stages of ZeRO are 0, 1, 2 and 3", stage);
    contents.step.sharding = stages.at(static_cast<std::size_t>(stage));
    if (stage > 0) {
        warnOfSharding(zero.positionOf("stage"), sentence(spreadText, root.pathOf(deepSpeedKey)), contents);
    }
    const auto isOnHost = [&zero](std::string_view key) {
        const std::string device = zero.sectionIfAny(key).text("device").value_or("none");
        return device != "none";
    };
    if (isOnHost("offload_optimizer")) {
        contents.step.optimizerOnHost = true;
        warnOfApproximation(contents.warnings, zero.positionOf("offload_optimizer"),
                            approximation::hostOptimizer,
                            "The run keeps the optimizer's state in the host's memory, and steps there.");
    }
    if (isOnHost("offload_param")) {
        warnOfApproximation(contents.warnings, zero.positionOf("offload_param"), approximation::hostWeights,
                            hostWeightsText);
    }
}

} // namespace

void warnOfSharding(TextPosition position, std::string_view spreads, ConfigContents& contents)
{
    warnOfApproximation(
        contents.warnings, position, approximation::sharding,
        "{}; trials hold the share of one of as many as run them, so with more of them larger "
        "sizes may fit in the run, and what they send each other is not measured.",
        spreads);
}

std::string_view uncountedDevicesText(const BatchPlan& plan)
{
    if (plan.knowsDevices)
        return {};
    return ", and as long as their number is not known trials hold the share of one of as many as run them, "
           "so "
           "that with more of them larger sizes may fit in the run";
}

void readSharding(const ConfigSection& root, bool takesConfigAlone, ConfigContents& contents)
{
    if (root.isOn(deepSpeedKey))
        readDeepSpeed(root, contents);
    if (root.isOn(fsdpKey) || (takesConfigAlone && root.isOn(fsdpConfigKey)))
        readFsdp(root, contents);
}

} // namespace batchpeak::config
