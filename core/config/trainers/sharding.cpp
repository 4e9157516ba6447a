// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding.h"

#include "approximations.h"
#include "batch_schemes.h"
#include "deep_speed_settings.h"
#include "networks/peft_adapter.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

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
constexpr std::string_view parallelismKey = "parallelism_config";
constexpr std::string_view spreadText = "{} spreads the network over devices";

/// Returns the key as the section writes it: keys of accelerate begin with fsdp_, those of axolotl since 0.11
/// do not (utils/schemas/fsdp.py).
std::string keyIn(const ConfigSection& section, std::string_view key)
{
    std::string older = "fsdp_" + std::string(key);
    return section.has(older) ? older : std::string(key);
}

/// Returns the strategy for a word of FSDPOption in transformers 5.23, trainer_utils.py, or of
/// ShardingStrategy in PyTorch, torch/distributed/fsdp/api.py.
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
    // FSDP 2 has no strategies, only this key; accelerate accepts the words of strategies here too.
    const std::string reshardKey = keyIn(config, "reshard_after_forward");
    if (const auto written = config.text(reshardKey))
        sharding = strategyOf(*written).value_or(config.isOn(reshardKey) ? Sharding::Parameters
                                                                         : Sharding::Gradients);
    return sharding;
}

/// Reads the sizes of ParallelismConfig in accelerate 1.15, parallelism_config.py: FSDP shards over
/// dp_shard_size devices, and dp_replicate_size times as many devices run. In axolotl both are at the root.
/// Without FSDP each device has the whole network, whatever they say (prepare_model, accelerator.py).
void readShards(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view shardsKey = "dp_shard_size";
    constexpr std::string_view copiesKey = "dp_replicate_size";
    const ConfigSection sizes = root.hasSection(parallelismKey) ? root.sectionIfAny(parallelismKey) : root;
    const std::int64_t shards = countOr(sizes, shardsKey, 1);
    if (shards > model::maxDevices)
        sizes.fail(shardsKey, "is {}, more devices than any cluster has", shards);
    contents.step.shards = shards;
    if (shards == 1 && countOr(sizes, copiesKey, 1) > 1) {
        warnOfApproximation(contents.warnings, sizes.positionOf(copiesKey), approximation::sharding,
                            "Each of so many parts of the devices shares a copy of the network ({}); trials "
                            "share one among all that run them, which takes less memory.",
                            sizes.pathOf(copiesKey));
    }
}

void readFsdp(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection config = root.sectionIfAny(fsdpConfigKey);
    const std::vector<std::string> words = fsdpWords(root);
    const std::string_view key = root.isOn(fsdpKey) ? fsdpKey : fsdpConfigKey;
    contents.step.sharding = readFsdpStrategy(words, config);
    // transformers 5.23 takes FSDP 2 unless the config says otherwise (_process_fsdp_args, training_args.py).
    if (config.integer(keyIn(config, "version")).value_or(2) == 1)
        contents.step.shardingLibrary = model::ShardingLibrary::Fsdp1;
    if (contents.step.sharding != Sharding::None) {
        readShards(root, contents);
        warnOfSharding(root.positionOf(key), sentence(spreadText, key), contents);
    }
    // The first key is that of transformers 5.23 (fsdp_config in training_args.py).
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

/// Returns the settings, which are in the config or in the file that it names.
std::optional<ConfigSection> deepSpeedSettings(const ConfigSection& root)
{
    return root.isOn(deepSpeedKey) ? root.sectionOrFile(deepSpeedKey) : std::nullopt;
}

/// Warns of a batch of DeepSpeed's that is not the Trainer's: HfTrainerDeepSpeedConfig.fill_match in
/// transformers 5.23, integrations/deepspeed.py, fills in "auto" and refuses another number; what is absent,
/// DeepSpeed takes for 1.
void warnOfDeepSpeedBatch(const ConfigSection& settings, ConfigContents& contents)
{
    if (!contents.train || !contents.train->presentSize)
        return;
    const std::int64_t size = *contents.train->presentSize;
    const std::int64_t steps = contents.train->accumulationSteps(size);
    for (const auto& [key, ours] :
         {std::pair<std::string_view, std::int64_t>("train_micro_batch_size_per_gpu", size),
          std::pair<std::string_view, std::int64_t>("gradient_accumulation_steps", steps)}) {
        if (isAuto(settings, key))
            continue;
        const YamlNode* written = settings.value(key);
        if (!written && key == "gradient_accumulation_steps" && ours != 1) {
            warn(contents.warnings, settings.positionOf(key),
                 "The DeepSpeed file has no {}, which DeepSpeed takes for 1, while the Trainer counts {}; "
                 "write \"auto\" "
                 "there.",
                 key, ours);
        } else if (written && !written->plain && written->kind == NodeKind::Scalar) {
            warn(contents.warnings, settings.positionOf(key),
                 "The DeepSpeed file has {} as the text \"{}\", which transformers refuses; remove the "
                 "quotation marks.",
                 key, written->value);
        } else if (written && asInteger(*written) && *asInteger(*written) != ours) {
            warn(contents.warnings, settings.positionOf(key),
                 "The DeepSpeed file has {} {} where the config has {}, which transformers refuses; write "
                 "\"auto\" there.",
                 key, written->value, ours);
        }
    }
}

void readDeepSpeed(const ConfigSection& root, ConfigContents& contents)
{
    if (const auto settings = deepSpeedSettings(root)) {
        readDeepSpeedStep(*settings, contents);
        if (!root.hasSection(deepSpeedKey))
            warnOfDeepSpeedBatch(*settings, contents);
        return;
    }
    warnOfApproximation(contents.warnings, root.positionOf(deepSpeedKey), approximation::otherFile,
                        "{} can spread the network over devices or move parts of it to the host; trials "
                        "hold all of it on "
                        "one device, so larger sizes may fit in the run.",
                        root.pathOf(deepSpeedKey));
}

bool hasFsdp(const ConfigSection& root, bool takesConfigAlone)
{
    return root.isOn(fsdpKey) || (takesConfigAlone && root.isOn(fsdpConfigKey));
}

/// Sets the precision with DeepSpeed, which converts all parameters to 16 bits and keeps copies in fp32 in
/// its optimizer. If the settings do not choose the type, accelerate does (set_mixed_precision of
/// DeepSpeedPlugin in accelerate 1.x, utils/dataclasses.py), whether they are here or in another file.
bool resolveDeepSpeed(const ConfigSection& root, model::Precision mixed, ConfigContents& contents)
{
    const auto settings = deepSpeedSettings(root);
    if (settings)
        checkDeepSpeedPrecision(*settings, mixed);
    if (model::isMixed(mixed))
        contents.precision =
            mixed == model::Precision::Fp16 ? model::Precision::PureFp16 : model::Precision::PureBf16;
    if (settings) {
        warnOfDeepSpeedGradients(*settings, contents);
        contents.step.maxGradientNorm = readDeepSpeedClipping(*settings, contents.step.maxGradientNorm);
    }
    return hasDeepSpeedPrecision(root, mixed);
}

/// Whether the run trains all of the network. An adapter is small compared to the network that it leaves
/// frozen.
bool trainsWholeNetwork(const ConfigContents& contents)
{
    const bool isKnown = std::holds_alternative<model::ModelSpec>(contents.model);
    return isKnown ? model::trainsAll(contents.tuning) : !contents.tuningFor;
}

/// Sets the precision with FSDP. Trained parameters are fp32, whatever type they were loaded in
/// (prepare_model of accelerate 1.x, accelerator.py, and fsdp2_prepare_model, utils/fsdp_utils.py), and
/// layers compute with copies in 16 bits.
bool resolveFsdp(const ConfigSection& root, std::string_view key, model::Precision mixed,
                 ConfigContents& contents)
{
    if (!model::isMixed(mixed) || !trainsWholeNetwork(contents))
        return false;
    contents.precision = mixed;
    constexpr std::string_view text = "FSDP narrows weights to 16 bits a layer at a time; trials on one "
                                      "device narrow all of them, and keep "
                                      "the copies until backward, which takes more memory.";
    if (contents.step.sharding == Sharding::None)
        warnOfApproximation(contents.warnings, root.positionOf(key), approximation::narrowedLayers, text);
    else
        contents.alone.approximation = approximation::narrowedLayers;
    return true;
}

} // namespace

void warnOfSharding(TextPosition position, std::string_view spreads, ConfigContents& contents)
{
    if (contents.step.shards > 1) {
        warnOfApproximation(contents.warnings, position, approximation::sharding,
                            "{}; trials hold the share of one of {}, and what they send each other is not "
                            "measured.",
                            spreads, contents.step.shards);
        return;
    }
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
    if (hasFsdp(root, takesConfigAlone))
        readFsdp(root, contents);
}

bool resolveSharedPrecision(const ConfigSection& root, bool takesConfigAlone, model::Precision mixed,
                            ConfigContents& contents)
{
    if (root.isOn(deepSpeedKey))
        return resolveDeepSpeed(root, mixed, contents);
    return hasFsdp(root, takesConfigAlone) &&
           resolveFsdp(root, root.isOn(fsdpKey) ? fsdpKey : fsdpConfigKey, mixed, contents);
}

bool hasDeepSpeedPrecision(const ConfigSection& root, model::Precision mixed)
{
    return root.isOn(deepSpeedKey) && model::isMixed(mixed);
}

RunKeys withSharedOptimizer(const ConfigSection& root, RunKeys ofTrainer)
{
    const auto settings = root.hasSection(deepSpeedKey) ? deepSpeedSettings(root) : std::nullopt;
    if (settings && settings->sectionAt("optimizer").has("type")) {
        ofTrainer.optimizer = "deepspeed.optimizer.type";
        ofTrainer.optimizerArguments = "deepspeed.optimizer.params";
        ofTrainer.unfusedAdamW = {};
        ofTrainer.isOfTransformers = false;
    }
    return ofTrainer;
}

void refuseSharedCuts(const ConfigSection& root)
{
    using enum UnmodeledFeature::When;
    constexpr std::array<UnmodeledFeature, 3> cuts{
        {{"tp_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
         {"cp_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
         {"sp_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices}}};
    refuseOtherRun(root.sectionIfAny(parallelismKey), cuts);
    if (const auto settings = deepSpeedSettings(root))
        refuseCutLayers(*settings);
}

} // namespace batchpeak::config
