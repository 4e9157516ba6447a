// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "llama_factory_tuning.h"

#include "approximations.h"
#include "networks/module_names.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "networks/trained_parts.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace batchpeak::config {

namespace {

constexpr std::string_view typeKey = "finetuning_type";
constexpr std::string_view targetKey = "lora_target";
constexpr std::string_view layersKey = "freeze_trainable_layers";
constexpr std::string_view modulesKey = "freeze_trainable_modules";
constexpr std::string_view extraKey = "freeze_extra_modules";
constexpr std::string_view bitsKey = "quantization_bit";
constexpr std::string_view methodKey = "quantization_method";
constexpr std::string_view savedKey = "additional_target";
constexpr std::string_view vocabularyKey = "resize_vocab";
constexpr std::string_view all = "all";

/// Reads names as split_arg in hparams/finetuning_args.py does; a list is accepted too.
std::vector<std::string> readNames(const ConfigSection& root, std::string_view key)
{
    const ModuleChoice choice = readModuleChoice(root, key);
    if (const auto* list = std::get_if<std::vector<std::string>>(&choice))
        return *list;
    const auto* text = std::get_if<std::string>(&choice);
    std::vector<std::string> names;
    for (std::size_t begin = 0; text && begin <= text->size();) {
        const std::size_t end = std::min(text->find(',', begin), text->size());
        const auto words = splitWords(std::string_view(*text).substr(begin, end - begin));
        names.emplace_back(words.empty() ? std::string_view() : words.front());
        begin = end + 1;
    }
    return names;
}

/// Returns the display name of a method of QuantizationMethod in extras/constants.py.
std::string_view nameOf(std::string_view method)
{
    return method == "hqq" ? "HQQ" : method == "eetq" ? "EETQ" : method;
}

/// Reads on-the-fly quantization: configure_quantization in model/model_utils/quantization.py.
void readQuantization(const ConfigSection& root, PeftAdapter& adapter, std::vector<Warning>& warnings)
{
    const auto bits = root.integer(bitsKey);
    if (!bits)
        return;
    const std::string method = lowerCase(root.text(methodKey).value_or("bnb"));
    const bool isBitsAndBytes = isAmong(method, "bnb bitsandbytes");
    const bool isLegal = isBitsAndBytes     ? (*bits == 4 || *bits == 8)
                         : method == "eetq" ? *bits == 8
                                            : *bits >= 1 && *bits <= 8 && *bits != 7;
    if (!isLegal)
        root.fail(bitsKey, "is {}, which {} does not have; write 4 or 8", *bits, method);
    adapter.frozenWeights = *bits <= 4 ? model::FrozenWeights::Nf4 : model::FrozenWeights::Int8;
    adapter.doubleQuantization = root.boolean("double_quantization").value_or(true);
    adapter.takesConv1d = isBitsAndBytes;
    if (!isBitsAndBytes) {
        warnOfApproximation(warnings, root.positionOf(methodKey),
                            sentence(approximation::namedQuantization, nameOf(method)),
                            "The run has the network in {} bits by {}; trials have it in {}.", *bits, method,
                            *bits <= 4 ? "4-bit NormalFloat" : "8-bit integers");
    } else if (*bits == 8) {
        warnOfIntegerKernels(root, bitsKey, warnings);
    }
}

bool isMixed(const ConfigSection& root)
{
    return root.boolean("bf16").value_or(false) || root.boolean("fp16").value_or(false);
}

bool isPure(const ConfigSection& root)
{
    return root.boolean("pure_bf16").value_or(false);
}

/// Returns the type of the weights beside adapters: that of most files, or fp32 if modules are trained in
/// full and no layer casts.
model::FrozenWeights weightsBesideAdapters(const ConfigSection& root)
{
    const bool areWide = trainsWholeModules(root) && !isMixed(root) && !isPure(root);
    return areWide ? model::FrozenWeights::Fp32 : model::FrozenWeights::Bf16;
}

/// Reads an adapter as _setup_lora_tuning in model/adapter.py does, with the defaults of LoraArguments in
/// hparams/finetuning_args.py.
PeftAdapter readAdapter(const ConfigSection& root)
{
    const std::int64_t rank = sizeOr(root, "lora_rank", 8);
    const double alpha = root.number("lora_alpha").value_or(0.0);
    const std::string_view placeKey = root.has(targetKey) ? targetKey : typeKey;
    PeftAdapter adapter{.rank = rank,
                        // 0 means that it is not set: __post_init__ of FinetuningArguments.
                        .alpha = alpha == 0.0 ? 2.0 * static_cast<double>(rank) : alpha,
                        .dropout = dropoutRateOr(root, "lora_dropout", 0.0),
                        .rankStabilized = root.boolean("use_rslora").value_or(false),
                        .usesDora = root.boolean("use_dora").value_or(false),
                        .modulesToSave = readNames(root, savedKey),
                        .place = {.path = std::string(placeKey), .position = root.positionOf(placeKey)},
                        .frozenWeights = weightsBesideAdapters(root)};
    std::vector<std::string> names = readNames(root, targetKey);
    adapter.targetsLinearNames = names.empty() || (names.size() == 1 && names.front() == all);
    adapter.targets = adapter.targetsLinearNames ? std::vector<std::string>() : std::move(names);
    return adapter;
}

void warnOfAdapter(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view fileKey = "adapter_name_or_path";
    if (root.isOn(fileKey))
        warnOfAdapterFile(root, fileKey, warnings);
    if (isPure(root) && trainsWholeModules(root))
        warnOfNarrowCopies(root, root.isOn(savedKey) ? savedKey : vocabularyKey, warnings);
}

/// Adds the two modules of the vocabulary, which are trained with resize_vocab unless other modules are named
/// (model/adapter.py).
void addVocabulary(PeftAdapter& adapter, const model::ModelSpec& spec)
{
    for (const NamedModule& module : modulesOf(spec)) {
        if (module.parameter == "embed_tokens" || module.parameter == "output")
            adapter.modulesToSave.push_back(module.name.substr(module.name.rfind('.') + 1));
    }
}

decltype(ConfigContents::tuningFor) adapterOf(const ConfigSection& root, std::vector<Warning>& warnings)
{
    PeftAdapter adapter = readAdapter(root);
    readQuantization(root, adapter, warnings);
    warnOfAdapter(root, warnings);
    const bool addsVocabulary = root.isOn(vocabularyKey) && adapter.modulesToSave.empty();
    return [adapter, addsVocabulary](const model::ModelSpec& spec, std::vector<Warning>& others) {
        PeftAdapter own = adapter;
        if (addsVocabulary)
            addVocabulary(own, spec);
        return tuningOf(own, spec, others);
    };
}

std::int64_t layersOf(const model::ModelSpec& spec)
{
    std::int64_t layers = 0;
    for (const NamedModule& module : modulesOf(spec))
        layers = std::max(layers, module.layers);
    return layers;
}

/// The values under freeze_*, as _setup_freeze_tuning in model/adapter.py takes them.
struct FrozenLayers
{
    std::int64_t layers = 2;
    std::vector<std::string> modules;
    std::vector<std::string> extraModules;
    NamedValue modulesValue;
    NamedValue extraValue;
};

/// Returns the names of modules in layers: "self_attn" of "model.layers.0.self_attn.q_proj.weight".
std::set<std::string> modulesOfLayers(const std::vector<NamedParameter>& parameters)
{
    std::set<std::string> names;
    for (const NamedParameter& parameter : parameters) {
        const std::string first = nameOfLayer(parameter.name, 0);
        if (const std::size_t mark = first.rfind(".0."); mark != std::string::npos) {
            const std::string rest = first.substr(mark + 3);
            names.insert(rest.substr(0, rest.find('.')));
        }
    }
    return names;
}

/// Returns the names of modules outside of layers: "lm_head" of "lm_head.weight".
std::set<std::string> modulesBesideLayers(const std::vector<NamedParameter>& parameters)
{
    std::set<std::string> names;
    for (const NamedParameter& parameter : parameters) {
        if (parameter.layers > 0)
            continue;
        const std::string module = parameter.name.substr(0, parameter.name.rfind('.'));
        names.insert(module.substr(module.rfind('.') + 1));
    }
    return names;
}

void requireKnown(const std::vector<std::string>& names, const std::set<std::string>& known,
                  const NamedValue& value)
{
    const std::vector<std::string_view> words(known.begin(), known.end());
    for (const std::string& name : names) {
        if (name != all && !known.contains(name)) {
            throw errorAt(value.position,
                          "The value of {} names \"{}\", which the network has not; write of {}.", value.path,
                          shortened(name), listed(words));
        }
    }
}

/// Returns parts of names: a parameter whose name contains one of them is trained.
std::vector<std::string> trainedMarks(const FrozenLayers& frozen, const model::ModelSpec& spec)
{
    const std::vector<NamedParameter> parameters = parametersOf(modulesOf(spec), spec);
    requireKnown(frozen.modules, modulesOfLayers(parameters), frozen.modulesValue);
    requireKnown(frozen.extraModules, modulesBesideLayers(parameters), frozen.extraValue);
    const std::int64_t layers = layersOf(spec);
    const bool areLast = frozen.layers > 0;
    const std::int64_t count = std::min(layers, areLast ? frozen.layers : -frozen.layers);
    std::vector<std::string> marks = frozen.extraModules;
    for (const std::string& module : frozen.modules) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t layer = areLast ? layers - count + i : i;
            marks.push_back("." + std::to_string(layer) + "." + (module == all ? "" : module));
        }
    }
    return marks;
}

/// Returns how the other parameters are stored: as they were loaded; with pure_bf16 all have the same type.
model::FrozenWeights weightsOfFrozen(const ConfigSection& root)
{
    return isMixed(root) && !isPure(root) ? model::FrozenWeights::Bf16 : model::FrozenWeights::Same;
}

} // namespace

model::Preference methodOnPairs(const ConfigSection& root)
{
    using enum model::Preference;
    const std::string loss = root.text("pref_loss").value_or("sigmoid");
    return loss == "orpo" ? Orpo : loss == "simpo" ? Simpo : Dpo;
}

bool trainsWholeModules(const ConfigSection& root)
{
    return root.isOn(savedKey) || root.isOn(vocabularyKey);
}

decltype(ConfigContents::tuningFor) readTrainedLayers(const ConfigSection& section,
                                                      model::FrozenWeights weights)
{
    constexpr std::int64_t max = 1 << 14;
    FrozenLayers frozen{
        .layers = section.integer(layersKey).value_or(2),
        .modules = readNames(section, modulesKey),
        .extraModules = readNames(section, extraKey),
        .modulesValue = {.path = section.pathOf(modulesKey), .position = section.positionOf(modulesKey)},
        .extraValue = {.path = section.pathOf(extraKey), .position = section.positionOf(extraKey)}};
    if (frozen.layers < -max || frozen.layers > max)
        section.fail(layersKey, "is {}, more than any network has", frozen.layers);
    if (!section.has(modulesKey))
        frozen.modules = {std::string(all)};
    const NamedValue value{.path = section.pathOf(layersKey), .position = section.positionOf(layersKey)};
    return [frozen, weights, value](const model::ModelSpec& spec, std::vector<Warning>& warnings) {
        const std::vector<std::string> marks = trainedMarks(frozen, spec);
        MatchEffort effort;
        const auto isTrained = [&](std::string_view name) {
            effort.spend(static_cast<std::int64_t>(marks.size()));
            return std::ranges::any_of(
                marks, [name](const std::string& mark) { return name.find(mark) != std::string_view::npos; });
        };
        return tuningOfParts(spec, isTrained, value, weights, warnings);
    };
}

decltype(ConfigContents::tuningFor) readLlamaFactoryTuning(const ConfigSection& root, std::string_view type,
                                                           std::vector<Warning>& warnings)
{
    if (type == "oft")
        refuseAdapter(root.positionOf(typeKey), type);
    if (type != "full" && root.isOn("use_llama_pro"))
        refusePartialTraining(root.positionOf("use_llama_pro"),
                              "layers that were put between (use_llama_pro)");
    if (type == "lora")
        return adapterOf(root, warnings);
    // init_adapter in model/adapter.py.
    if (root.has(bitsKey))
        root.fail(bitsKey,
                  "stands beside finetuning_type: {}, but LLaMA-Factory quantizes networks for adapters "
                  "alone; remove it",
                  type);
    return type == "freeze" ? readTrainedLayers(root, weightsOfFrozen(root)) : nullptr;
}

} // namespace batchpeak::config
