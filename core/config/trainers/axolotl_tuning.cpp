// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "axolotl_tuning.h"

#include "approximations.h"
#include "fake_quantization_rules.h"
#include "networks/module_names.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "networks/trained_parts.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::string_view adapterKey = "adapter";
constexpr std::string_view narrowKey = "load_in_4bit";
constexpr std::string_view byteKey = "load_in_8bit";
constexpr std::string_view partsKey = "unfrozen_parameters";

using enum UnmodeledFeature::When;

// LoraConfig, utils/schemas/peft.py.
constexpr std::array<UnmodeledFeature, 3> otherAdapters{
    {{"lora_rank_pattern", "adapters of several ranks ({})", On, {}, {}, reason::adaptersOfSeveralKinds},
     {"peft_layer_replication",
      "layers that are there several times ({})",
      On,
      {},
      {},
      reason::partialTraining},
     {"peft_trainable_token_indices",
      "single tokens of an embedding ({})",
      On,
      {},
      {},
      reason::adapterOnEmbeddings}}};

/// Checks as validate_adapter and validate_qlora of LoraConfig, utils/schemas/peft.py, do.
void checkQuantization(const ConfigSection& root)
{
    for (std::string_view key : {narrowKey, byteKey}) {
        if (root.isOn(key) && !root.isOn(adapterKey))
            root.fail(key,
                      "is True, but axolotl quantizes no network that it trains whole; write an adapter, "
                      "or False");
    }
    const bool isQlora = root.text(adapterKey) == "qlora";
    if (isQlora && !root.isOn(narrowKey) && !root.isOn("gptq"))
        root.fail(adapterKey,
                  "is qlora, for which axolotl wants load_in_4bit; write it as true, or lora here");
}

/// Reads quantization as _set_quantization_config in loaders/model.py does: 4 bits only for qlora and 8 only
/// for lora, whatever else is on.
void readQuantization(const ConfigSection& root, PeftAdapter& adapter, std::vector<Warning>& warnings)
{
    const bool isQlora = root.text(adapterKey) == "qlora";
    // Default in utils/schemas/config.py: experts stay as they are loaded.
    adapter.quantizesExperts = root.boolean("quantize_moe_experts").value_or(false);
    if (root.isOn("gptq")) {
        adapter.frozenWeights = model::FrozenWeights::Nf4;
        warnOfApproximation(
            warnings, root.positionOf("gptq"), sentence(approximation::namedQuantization, "GPTQ"),
            "{} has the network quantized by GPTQ; trials have it in 4-bit NormalFloat.", "gptq");
    } else if (isQlora && root.isOn(narrowKey)) {
        adapter.frozenWeights = model::FrozenWeights::Nf4;
        adapter.doubleQuantization =
            root.sectionIfAny("bnb_config_kwargs").boolean("bnb_4bit_use_double_quant").value_or(true);
    } else if (!isQlora && root.isOn(byteKey)) {
        adapter.frozenWeights = model::FrozenWeights::Int8;
        warnOfIntegerKernels(root, byteKey, warnings);
    }
}

/// Returns the rank, which is required: LoraConfig of axolotl has no default for rank and alpha, and PEFT
/// does not accept null.
std::int64_t requiredRank(const ConfigSection& root)
{
    for (std::string_view key : {"lora_r", "lora_alpha"}) {
        if (!root.has(key)) {
            throw errorAt(root.positionOf(key), "{} is missing, which axolotl has no default for; write it.",
                          key);
        }
    }
    return sizeOr(root, "lora_r", 1);
}

/// Reads an adapter as _build_peft_lora_config in loaders/adapter.py does.
PeftAdapter readAdapter(const ConfigSection& root)
{
    const std::string_view targetsKey = root.isOn("lora_target_modules") || !root.isOn("lora_target_linear")
                                            ? "lora_target_modules"
                                            : "lora_target_linear";
    PeftAdapter adapter{.rank = requiredRank(root),
                        .alpha = root.number("lora_alpha").value_or(1.0),
                        .dropout = dropoutRateOr(root, "lora_dropout", 0.0),
                        .rankStabilized = root.boolean("peft_use_rslora").value_or(false),
                        .usesDora = root.boolean("peft_use_dora").value_or(false),
                        .targets = readModuleChoice(root, "lora_target_modules"),
                        .targetsLinearNames = root.isOn("lora_target_linear"),
                        .excluded = readModuleChoice(root, "lora_exclude_modules"),
                        .modulesToSave = readTexts(root, "lora_modules_to_save"),
                        .layers = readLayers(root, "peft_layers_to_transform"),
                        .layersPatterns = readTexts(root, "peft_layers_pattern"),
                        .place = {.path = std::string(targetsKey), .position = root.positionOf(targetsKey)}};
    readTargetParameters(root, "lora_target_parameters", adapter);
    // An empty list means no module, not the default ones.
    if (!root.isOn("lora_target_modules"))
        adapter.targets = std::vector<std::string>();
    return adapter;
}

void warnOfAdapter(const ConfigSection& root, const PeftAdapter& adapter, bool hasSixteenBits,
                   std::vector<Warning>& warnings)
{
    if (root.isOn("lora_model_dir"))
        warnOfAdapterFile(root, "lora_model_dir", warnings);
    if (!adapter.modulesToSave.empty() && hasSixteenBits)
        warnOfNarrowCopies(root, "lora_modules_to_save", warnings);
}

/// Converts a pattern as utils/freeze.py does: a dot is literal unless a plus follows. A range of rows at the
/// end is ignored, since it only sets gradients to zero.
std::string asNamePattern(std::string_view text)
{
    if (text.ends_with(']')) {
        const std::size_t open = text.rfind('[');
        const std::string_view range = open == std::string_view::npos || open == 0
                                           ? std::string_view()
                                           : text.substr(open + 1, text.size() - open - 2);
        const bool isRange =
            open != std::string_view::npos && open > 0 &&
            std::ranges::all_of(range,
                                [](char byte) { return byte == ':' || (byte >= '0' && byte <= '9'); }) &&
            std::ranges::count(range, ':') <= 1;
        if (isRange)
            text = text.substr(0, open);
    }
    std::string pattern;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '.' && !text.substr(i + 1).starts_with('+'))
            pattern += '\\';
        pattern += text[i];
    }
    return pattern;
}

std::vector<std::string> namePatterns(const std::vector<std::string>& texts)
{
    std::vector<std::string> patterns;
    std::ranges::transform(texts, std::back_inserter(patterns), asNamePattern);
    return patterns;
}

std::vector<NamePattern> partPatterns(const NamedValue& value, const std::vector<std::string>& texts)
{
    return withPatternsOf(value, [&texts] { return patternsOf(namePatterns(texts)); });
}

decltype(ConfigContents::tuningFor) partsOf(const ConfigSection& root)
{
    const NamedValue value{.path = std::string(partsKey), .position = root.positionOf(partsKey)};
    return [value, texts = readTexts(root, partsKey)](const model::ModelSpec& spec,
                                                      std::vector<Warning>& warnings) {
        if (model::needsPython(spec))
            return model::Tuning{.modules = {.trained = namePatterns(texts)}};
        MatchEffort effort;
        const auto patterns = partPatterns(value, texts);
        const auto isTrained = [&](std::string_view name) {
            return std::ranges::any_of(
                patterns, [&](const NamePattern& pattern) { return pattern.matchesStart(name, effort); });
        };
        return tuningOfParts(spec, isTrained, value, model::FrozenWeights::Same, warnings);
    };
}

/// Checks unfrozen_parameters beside an adapter. With adapters, names of parameters begin with those of
/// PEFT's two wrappers, and freeze_layers_except (utils/freeze.py, called by load_model_and_tokenizer in
/// train.py) freezes all that match no pattern, including the adapters. Patterns for names without adapters
/// match nothing.
/// \throws NotRun if a pattern matches
void checkPartsBesideAdapter(const NamedValue& value, const std::vector<std::string>& texts,
                             const model::ModelSpec& spec, std::vector<Warning>& warnings)
{
    MatchEffort effort;
    const auto patterns = partPatterns(value, texts);
    const auto matches = [&](const std::string& name) {
        return std::ranges::any_of(
            patterns, [&](const NamePattern& pattern) { return pattern.matchesStart(name, effort); });
    };
    for (const NamedModule& module : modulesOf(spec)) {
        const std::string wrapped = "base_model.model." + nameOfLayer(module.name, module.firstLayer);
        for (std::string_view end : {".weight", ".base_layer.weight", ".lora_A.default.weight"}) {
            if (matches(wrapped + std::string(end)))
                refusePartialTraining(value.position,
                                      "some parameters beside an adapter (unfrozen_parameters)");
        }
    }
    warnOfApproximation(
        warnings, value.position, approximation::frozenAdapter,
        "The names in {} are those of a network without an adapter, so axolotl freezes all of "
        "this one, its adapter too, and learns nothing; trials train the adapter.",
        value.path);
}

using model::FakeQuantization;
using model::FakeQuantizedActivations;
using model::FakeQuantizedWeights;

constexpr std::string_view qatKey = "qat";
constexpr std::string_view weightKey = "weight_dtype";
constexpr std::string_view activationKey = "activation_dtype";
constexpr std::string_view groupKey = "group_size";
constexpr std::string_view embeddingKey = "quantize_embedding";

/// Returns one of the words of validate_ao_dtype in utils/schemas/quantization.py, with mxfp4 since axolotl
/// 0.15; empty if there is none.
std::string typeOf(const ConfigSection& qat, std::string_view key, std::string_view defaultType)
{
    std::string type = qat.text(key).value_or(std::string(defaultType));
    if (type == "fp8" || type == "float8")
        return "float8_e4m3fn";
    if (!isAmong(type, "int4 int8 float8_e4m3fn nvfp4 mxfp4") && !type.empty())
        qat.fail(key, "is \"{}\", which axolotl does not know; write int4, int8, fp8, nvfp4 or mxfp4", type);
    return type;
}

/// Returns the group size. For null, torchao has a default of its own.
std::int64_t groupSize(const ConfigSection& qat, std::int64_t ofTorchao)
{
    if (qat.find(groupKey) && !qat.has(groupKey))
        return ofTorchao;
    return sizeOr(qat, groupKey, 32);
}

FakeQuantization narrowFloats(const ConfigSection& qat)
{
    // get_quantization_config; NVFP4InferenceConfig rounds activations whatever activation_dtype says.
    constexpr std::int64_t blockSize = 16;
    if (groupSize(qat, blockSize) != blockSize)
        qat.fail(groupKey, "is {}, but axolotl takes 16 alone with nvfp4; write that",
                 groupSize(qat, blockSize));
    // _qat_config_transform in torchao/quantization/qat/api.py.
    if (qat.isOn(embeddingKey))
        qat.fail(embeddingKey, "is True, which torchao refuses with nvfp4; write False");
    return {.weights = FakeQuantizedWeights::Nvfp4, .activations = FakeQuantizedActivations::Nvfp4};
}

FakeQuantization integers(const ConfigSection& qat, const std::string& activation)
{
    // Int4WeightOnlyConfig has groups of 128, Int8DynamicActivationInt4WeightConfig of 32
    // (torchao/quantization/quant_api.py).
    if (activation.empty())
        return {.weights = FakeQuantizedWeights::Int4, .groupSize = groupSize(qat, 128)};
    return {.weights = FakeQuantizedWeights::Int4,
            .groupSize = groupSize(qat, 32),
            .activations = FakeQuantizedActivations::Int8};
}

FakeQuantization roundingOf(const ConfigSection& qat)
{
    const std::string weight = typeOf(qat, weightKey, "int8");
    const std::string activation = typeOf(qat, activationKey, "");
    if (weight == "mxfp4" || (isAmong(weight, "int4 float8_e4m3fn") && activation == "float8_e4m3fn")) {
        refuseRun(qat.positionOf(weight == "mxfp4" ? weightKey : activationKey),
                  sentence("rounds weights and activations to {} ({})",
                           weight == "mxfp4" ? weight : activation,
                           qat.pathOf(weight == "mxfp4" ? weightKey : activationKey)),
                  reason::quantizationAware);
    }
    if (weight == "nvfp4")
        return narrowFloats(qat);
    if (weight != "int4" || !(activation.empty() || activation == "int8")) {
        qat.fail(weightKey,
                 "is {} beside {} activations, which torchao does not train; write int4 with int8 or without "
                 "activation_dtype, or nvfp4 for both",
                 weight, activation.empty() ? "unrounded" : activation);
    }
    FakeQuantization rounding = integers(qat, activation);
    rounding.embeddings = qat.isOn(embeddingKey);
    return rounding;
}

/// Refuses layers that quantize_ of torchao skips: it takes only torch.nn.Linear.
void refuseOtherLayers(const model::ModelSpec& spec, TextPosition position)
{
    const auto modules = modulesOf(spec);
    if (std::ranges::find(modules, ModuleKind::Conv1d, &NamedModule::kind) != modules.end()) {
        refuseRun(position, "rounds the layers of torch.nn.Linear alone, of which the network has few (qat)",
                  reason::quantizationAware);
    }
}

} // namespace

decltype(ConfigContents::tuningFor) readAxolotlTuning(const ConfigSection& root, bool hasSixteenBits,
                                                      std::vector<Warning>& warnings)
{
    checkQuantization(root);
    if (!root.isOn(adapterKey))
        return root.isOn(partsKey) ? partsOf(root) : nullptr;
    const std::string kind = root.text(adapterKey).value_or("");
    if (kind != "lora" && kind != "qlora")
        refuseAdapter(root.positionOf(adapterKey), kind);
    refuseOtherAdapter(root, otherAdapters);
    PeftAdapter adapter = readAdapter(root);
    if (hasSixteenBits)
        adapter.frozenWeights = model::FrozenWeights::Bf16;
    readQuantization(root, adapter, warnings);
    adapter.takesConv1d = model::isQuantized(adapter.frozenWeights);
    warnOfAdapter(root, adapter, hasSixteenBits, warnings);
    if (!root.isOn(partsKey))
        return tuningBy(std::move(adapter));
    const NamedValue value{.path = std::string(partsKey), .position = root.positionOf(partsKey)};
    return [adapter = std::move(adapter), value,
            texts = readTexts(root, partsKey)](const model::ModelSpec& spec, std::vector<Warning>& others) {
        checkPartsBesideAdapter(value, texts, spec, others);
        return tuningOf(adapter, spec, others);
    };
}

decltype(ConfigContents::tuningFor) withAxolotlQat(decltype(ConfigContents::tuningFor) tuning,
                                                   const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (!root.isOn(qatKey))
        return tuning;
    // check_qat_config in utils/schemas/config.py.
    for (std::string_view key : {"load_in_8bit", "load_in_4bit"}) {
        if (root.isOn(key))
            root.fail(key, "is True, which axolotl refuses beside qat; write False, or remove qat");
    }
    const ConfigSection qat = *root.section(qatKey);
    FakeQuantization rounding = roundingOf(qat);
    // tie_weights() has already set its matrix to that of the embedding, but it is still a torch.nn.Linear.
    rounding.sharedOutput = true;
    warnOfDelayedRounding(qat, "fake_quant_after_n_steps", warnings);
    const NamedValue value{.path = qat.pathOf(groupKey), .position = qat.positionOf(groupKey)};
    return [own = std::move(tuning), rounding, value,
            position = root.positionOf(qatKey)](const model::ModelSpec& spec, std::vector<Warning>& found) {
        refuseOtherLayers(spec, position);
        model::Tuning rounded = own ? own(spec, found) : model::Tuning();
        rounded.fakeQuantization = rounding;
        if (rounding.weights != FakeQuantizedWeights::Nvfp4)
            checkGroups(spec, rounded, value);
        return rounded;
    };
}

} // namespace batchpeak::config
