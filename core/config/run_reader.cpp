// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_reader.h"

#include "approximations.h"
#include "model/held_memory.h"
#include "networks/checkpoint_weights.h"
#include "networks/named_network.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"

#include <cmath>

namespace batchpeak::config {

namespace {

/// The section with the last key of a path, and that key; neither if the path is empty.
struct Place
{
    std::optional<ConfigSection> section;
    std::string_view key;
};

Place placeOf(const ConfigSection& root, std::string_view path)
{
    if (path.empty())
        return {};
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos)
        return {.section = root, .key = path};
    return {.section = root.sectionAt(path.substr(0, dot)), .key = path.substr(dot + 1)};
}

std::optional<SourceLocation> firstPlace(const Settings& settings, std::string_view paths)
{
    for (std::string_view path : splitWords(paths)) {
        try {
            if (auto place = settings.placeOf(path))
                return place;
        } catch (const ConfigError&) {
            // The error is ignored: a reader of this value would have reported it already.
            continue;
        }
    }
    return std::nullopt;
}

/// Returns the place of the first switch that is on; if the precision has 32 bits, of one that is off.
std::optional<SourceLocation> precisionPlace(const Settings& settings, const PlaceKeys& keys,
                                             model::Precision precision)
{
    using enum model::Precision;
    auto place = firstPlace(settings, keys.precision);
    if (!place && precision == Tf32)
        place = firstPlace(settings, keys.tf32);
    const bool hasSixteenBits = model::isMixed(precision) || model::isNarrowThroughout(precision);
    for (std::string_view key : splitWords(keys.precisionSwitches)) {
        if (!place && settings.isOn(key) == hasSixteenBits)
            place = firstPlace(settings, key);
    }
    return place;
}

void noteFirst(std::optional<SourceLocation>& place, const Settings& settings, std::string_view paths)
{
    if (!place)
        place = firstPlace(settings, paths);
}

const model::ModelSpec* networkOf(const ConfigContents& contents)
{
    return std::get_if<model::ModelSpec>(&contents.model);
}

} // namespace

void notePlaces(const Settings& settings, const PlaceKeys& keys, ConfigContents& contents)
{
    SourceLocations& places = contents.places;
    noteFirst(places.network, settings, keys.network);
    noteFirst(places.train.globalBatch, settings, keys.globalBatch);
    noteFirst(places.train.microBatch, settings, keys.microBatch);
    noteFirst(places.train.accumulationSteps, settings, keys.accumulationSteps);
    noteFirst(places.eval.globalBatch, settings, keys.evalGlobalBatch);
    noteFirst(places.eval.microBatch, settings, keys.evalMicroBatch);
    noteFirst(places.devices, settings, keys.devices);
    noteFirst(places.sequenceLength, settings, keys.sequenceLength);
    if (!places.precision)
        places.precision = precisionPlace(settings, keys, contents.precision);
    noteFirst(places.optimizer, settings, keys.optimizer);
    noteFirst(places.activationCheckpointing, settings, keys.checkpointing);
    noteFirst(places.lossChunks, settings, keys.lossChunks);
    noteFirst(places.gradientNorm, settings, keys.gradientNorm);
    noteFirst(places.attention, settings, keys.attention);
}

namespace {

/// Returns optimizers other than plain AdamW and SGD, by the names of OptimizerNames in transformers 5.23,
/// training_args.py, of axolotl 0.13, utils/schemas/enums.py, of optimizer_registry in llmfoundry/optim of
/// LLM-Foundry 0.22, and of cerebras.pytorch.optim 2.10, whose Adafactor is that of transformers.
std::optional<model::Optimizer> knownOptimizer(std::string_view word)
{
    using enum model::Optimizer;
    if (isAmong(word, "adamw_bnb_8bit adamw_8bit adamw_torch_8bit ao_adamw_8bit paged_adamw_8bit"))
        return AdamW8bit;
    if (isAmong(word, "adamw_torch_4bit ao_adamw_4bit"))
        return AdamW4bit;
    if (isAmong(word, "paged_adamw paged_adamw_32bit"))
        return AdamW32bit;
    if (isAmong(word, "lion lion_32bit paged_lion_32bit decoupled_lionw lionw"))
        return Lion;
    if (isAmong(word, "lion_8bit paged_lion_8bit"))
        return Lion8bit;
    return word == "adafactor" ? std::optional(Adafactor) : std::nullopt;
}

bool isOfTorchao(const std::string& name)
{
    return isAmong(lowerCase(name), "adamw_torch_8bit ao_adamw_8bit adamw_torch_4bit ao_adamw_4bit");
}

void warnOfKnownOptimizer(model::Optimizer optimizer, bool isPaged, const std::string& name,
                          TextPosition position, std::vector<Warning>& warnings, std::string_view unfusedLion)
{
    if (const int bits = model::momentBits(optimizer); bits > 0) {
        warnOfApproximation(warnings, position,
                            bits == 4           ? approximation::step4bit
                            : isOfTorchao(name) ? approximation::torchaoStep8bit
                                                : approximation::step8bit,
                            "Trials keep as many bits of state as {} does, but compute its step by "
                            "themselves, which may take "
                            "another time.",
                            name);
    }
    // Examples are Lion of bitsandbytes and FusedLion of DeepSpeed.
    if (optimizer == model::Optimizer::Lion && !isAmong(lowerCase(name), unfusedLion)) {
        warnOfApproximation(warnings, position, approximation::lionByOperations,
                            "Trials step {} operation by operation, which takes longer than a kernel of its "
                            "own.",
                            name);
    }
    if (isPaged) {
        warnOfApproximation(
            warnings, position, approximation::pagedOptimizer,
            "{} moves its state to the host's memory where the device's runs short; trials keep it on the "
            "device, so larger sizes may fit in the run.",
            name);
    }
}

/// Whether the optimizer is a paged one of bitsandbytes, in unified memory, which is on the device as long as
/// it fits: get_state_buffer and prefetch_state in optim/optimizer.py of bitsandbytes 0.50.2.
bool isPaged(const std::string& name)
{
    return lowerCase(name).starts_with("paged_");
}

/// Whether trainers read the text as a number that cannot train anything: ".nan", "-.inf", "Infinity",
/// "1e400".
bool isNoFiniteNumber(std::string_view written)
{
    if (written.starts_with('+') || written.starts_with('-'))
        written.remove_prefix(1);
    const bool isWord = isAmong(lowerCase(std::string(written)), ".nan .inf nan inf infinity");
    return isWord || std::isinf(numberIn(written).value_or(0.0));
}

void readOptimizerInto(const ConfigSection& root, const RunKeys& keys, ConfigContents& contents)
{
    const Place optimizer = placeOf(root, keys.optimizer);
    const auto name = optimizer.section ? optimizer.section->text(optimizer.key) : std::nullopt;
    if (!name)
        return;
    const TextPosition position = optimizer.section->positionOf(optimizer.key);
    contents.optimizer = readOptimizer(*name, keys.adamW, position, contents.warnings, keys.unfusedLion);
    contents.step.adamWStep = isAmong(*name, keys.unfusedAdamW)     ? model::AdamWStep::Operations
                              : isAmong(*name, keys.decoupledAdamW) ? model::AdamWStep::Decoupled
                                                                    : model::AdamWStep::Fused;
    // _get_sgd in trainer_optimizer.py of transformers 5.23 passes no arguments.
    if (keys.isOfTransformers && contents.optimizer == model::Optimizer::Sgd) {
        warnOfApproximation(
            contents.warnings, position, approximation::unfusedStep,
            "{} steps operation by operation; trials take one kernel for it, which takes less time.", *name);
    }
    contents.step.wideEmbeddingMoments =
        keys.isOfTransformers && model::momentBits(contents.optimizer) > 0 && !isOfTorchao(*name);
    if (!keys.optimizerArguments.empty())
        readOptimizerArguments(root.sectionAt(keys.optimizerArguments), contents);
    else
        contents.step.keepsMomentum = contents.optimizer != model::Optimizer::Sgd;
}

} // namespace

void readCompilation(const Settings& settings, std::string_view mode, std::string_view backend,
                     ConfigContents& contents)
{
    const auto name = settings.text(mode);
    auto known = name ? model::fromText<model::Compilation>(*name) : std::nullopt;
    // This word exists only in Batchpeak.
    if (known == model::Compilation::None)
        known.reset();
    contents.step.compilation = known.value_or(model::Compilation::Default);
    if (name && !known) {
        warnOfApproximation(contents.warnings, settings.positionOf(mode), approximation::otherCompiler,
                            "{} is {}; your Python compiles trials in the default mode.",
                            settings.pathOf(mode), *name);
    }
    if (const auto compiler = settings.text(backend); compiler && *compiler != "inductor") {
        warnOfApproximation(contents.warnings, settings.positionOf(backend), approximation::otherCompiler,
                            "{} is {}; your Python compiles trials by inductor.", settings.pathOf(backend),
                            *compiler);
    }
}

void readRun(const ConfigSection& root, const RunKeys& keys, ConfigContents& contents)
{
    readOptimizerInto(root, keys, contents);
    const Place norm = placeOf(root, keys.gradientNorm);
    contents.step.maxGradientNorm = norm.section
                                        ? readGradientNorm(*norm.section, norm.key, keys.defaultGradientNorm)
                                        : keys.defaultGradientNorm;
    const Place checkpointing = placeOf(root, keys.checkpointing);
    if (checkpointing.section)
        contents.step.activationCheckpointing =
            checkpointing.section->boolean(checkpointing.key).value_or(false);
    const Place attention = placeOf(root, keys.attention);
    if (const auto name = attention.section ? attention.section->text(attention.key) : std::nullopt) {
        contents.step.attention = attentionNamed(*name);
        warnOfOtherAttention(*name, attention.section->positionOf(attention.key), contents.warnings);
    }
    contents.training.weighsTokens = keys.weighsTokens;
    contents.training.learningRate = readLearningRate(root, keys.learningRate, contents.warnings);
    notePlaces(root,
               {.optimizer = keys.optimizer,
                .checkpointing = keys.checkpointing,
                .gradientNorm = keys.gradientNorm,
                .attention = keys.attention},
               contents);
}

void readOptimizerArguments(const ConfigSection& arguments, ConfigContents& contents)
{
    // torch.optim.SGD and AdamW of torch 2.11, and Adafactor of transformers 5.23, optimization.py.
    contents.step.keepsMomentum = contents.optimizer != model::Optimizer::Sgd || arguments.isOn("momentum");
    const std::string_view key = contents.optimizer == model::Optimizer::Adafactor ? "beta1" : "amsgrad";
    const bool canHave =
        contents.optimizer == model::Optimizer::Adafactor || contents.optimizer == model::Optimizer::AdamW;
    if (canHave && arguments.isOn(key)) {
        warnOfApproximation(contents.warnings, arguments.positionOf(key), approximation::moreMoments,
                            "{} makes the optimizer keep a moment more than trials do, which takes as much "
                            "memory as the trained weights.",
                            arguments.pathOf(key));
    }
}

model::Optimizer readOptimizer(const std::string& name, std::string_view adamW, TextPosition position,
                               std::vector<Warning>& warnings, std::string_view unfusedLion)
{
    const std::string word = lowerCase(name);
    if (word == "adamw" || isAmong(name, adamW))
        return model::Optimizer::AdamW;
    if (word == "sgd")
        return model::Optimizer::Sgd;
    if (const auto known = knownOptimizer(word)) {
        warnOfKnownOptimizer(*known, isPaged(name), name, position, warnings, unfusedLion);
        return *known;
    }
    const bool costsTheSame = word == "adam";
    warnings.push_back({.sentence = "Trials run AdamW in place of the optimizer " + name +
                                    (costsTheSame ? ", which costs the same."
                                                  : ", whose steps and memory may cost more or less."),
                        .position = position,
                        .approximation = std::string(costsTheSame ? "" : approximation::otherOptimizer)});
    return model::Optimizer::AdamW;
}

model::Attention attentionNamed(std::string_view implementation)
{
    const std::string name = lowerCase(std::string(implementation));
    // Names of kernel packages contain the word: "kernels-community/vllm-flash-attn3".
    if (name.find("flash") != std::string::npos || isAmong(name, "fa2 fa3"))
        return model::Attention::Flash;
    if (isAmong(name, "eager torch disabled local unfused"))
        return model::Attention::Math;
    if (name == "xformers")
        return model::Attention::MemoryEfficient;
    return name == "fused" ? model::Attention::Cudnn : model::Attention::Automatic;
}

void warnOfOtherAttention(std::string_view implementation, TextPosition position,
                          std::vector<Warning>& warnings)
{
    if (!isAmong(lowerCase(std::string(implementation)), "flex flex_attention s2 sage fp8"))
        return;
    warnOfApproximation(warnings, position, approximation::otherAttention,
                        "Trials run attention by PyTorch's own kernels, not by {}.", implementation);
}

double readGradientNorm(const Settings& settings, std::string_view key, double otherwise)
{
    const double norm = settings.number(key).value_or(otherwise);
    if (!(norm >= 0))
        settings.fail(key, "must be at least 0, which stands for no clipping, as in 1.0");
    return norm;
}

std::optional<double> readLearningRate(const ConfigSection& section, std::string_view path,
                                       std::vector<Warning>& warnings)
{
    Place place;
    const YamlNode* rate = nullptr;
    std::optional<double> number;
    try {
        place = placeOf(section, path);
        rate = place.section ? place.section->value(place.key) : nullptr;
        number = rate ? asNumber(*rate) : std::nullopt;
    } catch (const UnreadableTag&) {
        throw;
    } catch (const ConfigError&) {
        return std::nullopt;
    }
    return rate ? learningRateOf(*place.section, place.key, {.written = rate->value, .number = number},
                                 warnings)
                : std::nullopt;
}

std::optional<double> learningRateOf(const Settings& settings, std::string_view key,
                                     const WrittenNumber& value, std::vector<Warning>& warnings)
{
    const auto& [written, number] = value;
    if (number ? *number < 0 : isNoFiniteNumber(written))
        settings.fail(key, "is {}, but must be a number above 0, as in 3.0e-4", written);
    if (number && *number == 0)
        warn(warnings, settings.positionOf(key),
             "{} is 0, by which nothing is learned; training takes its usual rate, or one given by "
             "--learning-rate.",
             settings.pathOf(key));
    return number && *number > 0 ? number : std::nullopt;
}

std::optional<std::int64_t> readLength(const Settings& settings, std::string_view key,
                                       std::optional<std::int64_t> longest, std::string_view advice)
{
    const auto length = settings.integer(key);
    if (length && *length < 1)
        settings.fail(key, "is {}, but a sequence has at least 1 token", *length);
    if (length && *length > model::maxTokens)
        settings.fail(key, "is {}, longer than any sequence; write at most {}", *length, model::maxTokens);
    if (length && longest && *length > *longest)
        settings.fail(key, "is {}, above the {} positions that the network learns; {}", *length, *longest,
                      advice);
    return length;
}

std::optional<std::int64_t> longestLength(const ConfigContents& contents)
{
    const auto* spec = networkOf(contents);
    return spec ? model::longestSequence(*spec) : std::nullopt;
}

void resolveTuning(ConfigContents& contents)
{
    const auto* spec = networkOf(contents);
    if (!spec)
        return;
    contents.model = networkOrError([&contents, network = *spec] {
        if (contents.tuningFor) {
            const model::Tuning published = contents.tuning;
            contents.tuning = contents.tuningFor(network, contents.warnings);
            takeCheckpointWeights(published, contents.tuning);
        }
        // validate_quantization_for_training in trainer_utils.py of transformers 5.23.
        if (contents.train && model::isQuantized(contents.tuning.frozenWeights) &&
            !model::hasAdapters(contents.tuning)) {
            refuseRun(contents.places.network ? contents.places.network->position : TextPosition(),
                      "trains a network without adapters whose weights are quantized, which transformers "
                      "refuses",
                      reason::quantizedTraining);
        }
        return network;
    });
}

void resolveLengths(ConfigContents& contents)
{
    const auto* spec = networkOf(contents);
    if (!spec)
        return;
    if (!model::takesSequences(*spec))
        contents.sequenceLength = model::defaultSequenceLength(*spec);
    if (!contents.targetLength)
        contents.targetLength = model::defaultTargetLength(*spec);
}

namespace {

TextPosition attentionPosition(const ConfigContents& contents)
{
    const SourceLocations& places = contents.places;
    if (places.attention)
        return places.attention->position;
    return places.network && !places.network->isInModelSource ? places.network->position : TextPosition();
}

/// Flash attention kernels skip what is outside a window, cap scores that they never store, and reduce scores
/// by distance. In trials those are masks and products (flash_attn_func of flash-attn 2, window_size, softcap
/// and alibi_slopes).
void warnOfFlashAttention(const model::DecoderSpec& decoder, ConfigContents& contents)
{
    const std::int64_t length =
        contents.sequenceLength > 0 ? contents.sequenceLength : defaultLength(contents);
    if (decoder.attentionSoftCap > 0.0) {
        warnOfApproximation(contents.warnings, attentionPosition(contents), approximation::otherAttention,
                            "Flash attention caps scores within its kernel; trials hold all of them, which "
                            "takes longer and more memory.");
    } else if (decoder.positionEmbedding == model::PositionEmbedding::Alibi) {
        warnOfApproximation(
            contents.warnings, attentionPosition(contents), approximation::otherAttention,
            "Flash attention lowers scores by distance (ALiBi) within its kernel; trials add a "
            "mask of all pairs of tokens, which takes longer and more memory.");
    } else if (decoder.attentionWindow > 0 && decoder.attentionWindow < length) {
        warnOfApproximation(contents.warnings, attentionPosition(contents), approximation::otherAttention,
                            "Flash attention passes over tokens beyond the window of {}; trials mask them, "
                            "which takes longer.",
                            decoder.attentionWindow);
    }
}

} // namespace

void resolveAttention(ConfigContents& contents)
{
    const auto* spec = networkOf(contents);
    const auto* decoder = spec ? std::get_if<model::DecoderSpec>(&spec->architecture) : nullptr;
    if (!decoder)
        return;
    if (contents.step.attention == model::Attention::Flash) {
        warnOfFlashAttention(*decoder, contents);
        return;
    }
    // BloomAttention and MptAttention in transformers 5.23, models/{bloom,mpt}/modeling_*.py, and MPT of
    // LLM-Foundry without flash attention, use plain products. The other implementations in
    // GPTJ_ATTENTION_CLASSES and GPT_NEO_ATTENTION_CLASSES, models/{gptj,gpt_neo}/modeling_*.py, use plain
    // products of queries and keys in fp32, which autocast turns into bfloat16 again.
    const bool isWide = isAmong(spec->family, "gptj gpt_neo");
    if (!isWide && !isAmong(spec->family, "bloom mpt"))
        return;
    contents.step.attention = model::Attention::Math;
    if (isWide && computesInSixteenBits(contents)) {
        warnOfApproximation(contents.warnings, attentionPosition(contents), approximation::otherAttention,
                            "The network computes attention in fp32; trials compute it in 16 bits.");
    }
}

bool computesInSixteenBits(const ConfigContents& contents)
{
    constexpr double floatBytes = 4.0;
    return !model::isMixed(contents.precision) &&
           model::elementBytes(contents.precision, contents.tuning).product < floatBytes;
}

std::int64_t defaultLength(const ConfigContents& contents)
{
    const auto* spec = networkOf(contents);
    return spec ? model::defaultSequenceLength(*spec) : 0;
}

void warnOfBatchNormalization(const model::ModelSpec& spec, TextPosition position,
                              std::vector<Warning>& warnings)
{
    if (!model::normalizesOverBatch(spec))
        return;
    warn(warnings, position,
         "The network has batch normalization, so what it learns depends on the micro-batch size: choosing a "
         "size changes the training too.");
}

model::ModelSpec readNamedModel(const ConfigSection& section, const NameKeys& keys,
                                const NetworkSource& networks, ConfigContents& contents)
{
    const TextPosition position = section.positionOf(keys.name);
    const auto name = section.text(keys.name);
    if (!name) {
        throw networkElsewhere(position,
                               "The config names no network under {}; give its config.json with --model.",
                               section.pathOf(keys.name));
    }
    const auto revision = keys.revision.empty() ? std::nullopt : section.text(keys.revision);
    return readNamedNetwork({.name = *name, .revision = revision.value_or("")}, position, networks, contents);
}

} // namespace batchpeak::config
