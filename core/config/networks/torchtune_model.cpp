// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "hub_models.h"
#include "network_readers.h"
#include "run_reader.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

constexpr std::string_view componentKey = "_component_";

// Functions of torchtune/models/*/_model_builders.py of torchtune 0.7, and the network with the same sizes
// and positions. Each entry also covers the function with adapters, whose name begins with "lora_" or
// "qlora_". torchtune's Mistral has no sliding window, like the second version and unlike the first.
constexpr WordMap<std::string_view, 48> namedBuilders{
    {{"gemma_2b", "google/gemma-2b"},
     {"gemma_7b", "google/gemma-7b"},
     {"gemma2_2b", "google/gemma-2-2b"},
     {"gemma2_9b", "google/gemma-2-9b"},
     {"gemma2_27b", "google/gemma-2-27b"},
     {"llama2_7b", "meta-llama/Llama-2-7b-hf"},
     {"llama2_13b", "meta-llama/Llama-2-13b-hf"},
     {"llama2_70b", "meta-llama/Llama-2-70b-hf"},
     {"llama3_8b", "meta-llama/Meta-Llama-3-8B"},
     {"llama3_70b", "meta-llama/Meta-Llama-3-70B"},
     {"llama3_1_8b", "meta-llama/Llama-3.1-8B"},
     {"llama3_1_70b", "meta-llama/Llama-3.1-70B"},
     {"llama3_1_405b", "meta-llama/Llama-3.1-405B"},
     {"llama3_2_1b", "meta-llama/Llama-3.2-1B"},
     {"llama3_2_3b", "meta-llama/Llama-3.2-3B"},
     {"llama3_3_70b", "meta-llama/Llama-3.3-70B-Instruct"},
     {"mistral_7b", "mistralai/Mistral-7B-Instruct-v0.2"},
     {"phi3_mini", "microsoft/Phi-3-mini-4k-instruct"},
     {"phi4_14b", "microsoft/phi-4"},
     {"qwen2_0_5b", "Qwen/Qwen2-0.5B-Instruct"},
     {"qwen2_1_5b", "Qwen/Qwen2-1.5B-Instruct"},
     {"qwen2_7b", "Qwen/Qwen2-7B-Instruct"},
     {"qwen2_5_0_5b", "Qwen/Qwen2.5-0.5B"},
     {"qwen2_5_1_5b_base", "Qwen/Qwen2.5-1.5B"},
     {"qwen2_5_1_5b_instruct", "Qwen/Qwen2.5-1.5B-Instruct"},
     {"qwen2_5_3b", "Qwen/Qwen2.5-3B"},
     {"qwen2_5_7b_base", "Qwen/Qwen2.5-7B"},
     {"qwen2_5_7b_instruct", "Qwen/Qwen2.5-7B-Instruct"},
     {"qwen2_5_14b_base", "Qwen/Qwen2.5-14B"},
     {"qwen2_5_14b_instruct", "Qwen/Qwen2.5-14B-Instruct"},
     {"qwen2_5_32b_base", "Qwen/Qwen2.5-32B"},
     {"qwen2_5_32b_instruct", "Qwen/Qwen2.5-32B-Instruct"},
     {"qwen2_5_72b_base", "Qwen/Qwen2.5-72B"},
     {"qwen2_5_72b_instruct", "Qwen/Qwen2.5-72B-Instruct"},
     {"qwen3_0_6b_base", "Qwen/Qwen3-0.6B-Base"},
     {"qwen3_0_6b_instruct", "Qwen/Qwen3-0.6B"},
     {"qwen3_1_7b_base", "Qwen/Qwen3-1.7B-Base"},
     {"qwen3_1_7b_instruct", "Qwen/Qwen3-1.7B"},
     {"qwen3_4b_base", "Qwen/Qwen3-4B-Base"},
     {"qwen3_4b_instruct", "Qwen/Qwen3-4B"},
     {"qwen3_8b_base", "Qwen/Qwen3-8B-Base"},
     {"qwen3_8b_instruct", "Qwen/Qwen3-8B"},
     {"qwen3_14b_base", "Qwen/Qwen3-14B-Base"},
     {"qwen3_14b_instruct", "Qwen/Qwen3-14B"},
     {"qwen3_32b", "Qwen/Qwen3-32B"},
     {"smollm2_135m", "HuggingFaceTB/SmolLM2-135M"},
     {"smollm2_360m", "HuggingFaceTB/SmolLM2-360M"},
     {"smollm2_1_7b", "HuggingFaceTB/SmolLM2-1.7B"}}};

/// A builder that takes all sizes as arguments, and the defaults of these arguments.
struct GeneralBuilder
{
    std::string_view name;
    std::string_view family;
    double ropeBase = 0;
    bool tiedEmbeddings = false;
    bool attentionBias = false;
};

// Signatures in torchtune/models/*/_component_builders.py of torchtune 0.7.
constexpr std::array<GeneralBuilder, 7> generalBuilders{
    {{.name = "llama2", .family = "llama", .ropeBase = 10000},
     {.name = "llama3", .family = "llama", .ropeBase = 500000},
     {.name = "llama3_1", .family = "llama", .ropeBase = 500000},
     {.name = "llama3_2", .family = "llama", .ropeBase = 500000, .tiedEmbeddings = true},
     {.name = "mistral", .family = "mistral", .ropeBase = 10000},
     {.name = "qwen2", .family = "qwen2", .ropeBase = 1000000, .attentionBias = true},
     {.name = "qwen3", .family = "qwen3", .ropeBase = 1000000, .attentionBias = true}}};

/// Kinds of network that no config.json provides: parts of the names of builders, and what they build.
constexpr WordMap<std::string_view, 7> otherKinds{{{"vision", "a network of images and text"},
                                                   {"classifier", "a classifier of texts"},
                                                   {"reward", "a network that rates answers"},
                                                   {"clip", "a network of images and text"},
                                                   {"flux", "a network that makes images"},
                                                   {"early_fusion", "a network of images and text"},
                                                   {"llama4", "a network of images and text with experts "
                                                              "that every token takes"}}};

/// Returns the default of intermediate_dim: scale_hidden_dim_for_mlp in
/// torchtune/models/llama3/_model_utils.py.
std::int64_t defaultFeedForwardSize(std::int64_t hiddenSize)
{
    constexpr std::int64_t unit = 256;
    return (4 * (2 * hiddenSize / 3) + unit - 1) / unit * unit;
}

/// Returns one value for several keys, which must agree.
std::optional<bool> agreed(const ConfigSection& section, std::initializer_list<std::string_view> keys,
                           bool otherwise)
{
    bool first = section.boolean(*keys.begin()).value_or(otherwise);
    const bool allAgree = std::ranges::all_of(
        keys, [&](std::string_view key) { return section.boolean(key).value_or(otherwise) == first; });
    return allAgree ? std::optional(first) : std::nullopt;
}

DecoderSpec readSizes(const ConfigSection& section, const GeneralBuilder& builder)
{
    DecoderSpec spec{.vocabularySize = requiredSize(section, "vocab_size"),
                     .hiddenSize = requiredSize(section, "embed_dim"),
                     .layers = requiredSize(section, "num_layers"),
                     .heads = requiredSize(section, "num_heads"),
                     .maxPositions = requiredSize(section, "max_seq_len"),
                     .positionEmbedding = model::PositionEmbedding::Rotary,
                     .normalization = model::Normalization::RmsNorm,
                     .activation = model::Activation::SwiGlu};
    spec.keyValueHeads = sizeOr(section, "num_kv_heads", spec.heads);
    spec.headSize = sizeOr(section, "head_dim", 0);
    spec.feedForwardSize = sizeOr(section, "intermediate_dim", defaultFeedForwardSize(spec.hiddenSize));
    spec.tiedEmbeddings = section.boolean("tie_word_embeddings").value_or(builder.tiedEmbeddings);
    spec.attentionOutputBias = false;
    spec.feedForwardBias = false;
    spec.normalizationEpsilon = positiveNumberOr(section, "norm_eps", 1e-5);
    spec.ropeTheta = positiveNumberOr(section, "rope_base", builder.ropeBase);
    spec.attentionDropout = dropoutRateOr(section, "attn_dropout", 0.0);
    return spec;
}

model::ModelSpec readGeneral(const ConfigSection& section, const GeneralBuilder& builder)
{
    const auto bias = agreed(section, {"q_proj_bias", "k_proj_bias", "v_proj_bias"}, builder.attentionBias);
    if (!bias)
        refuseNetwork(section, "q_proj_bias", "biases in some of queries, keys and values alone");
    const auto norm = agreed(section, {"q_norm", "k_norm"}, false);
    if (!norm)
        refuseNetwork(section, "q_norm", "normalization of either queries or keys");
    DecoderSpec spec = readSizes(section, builder);
    spec.attentionBias = *bias;
    spec.queryKeyNormalization = *norm;
    model::ModelSpec network{.family = std::string(builder.family), .architecture = spec};
    if (const auto problem = problemWith(network))
        throw ConfigError(*problem, section.positionOf("num_heads"));
    return network;
}

/// The parts of a builder's name.
struct Builder
{
    /// Name of the network: "llama3_8b" of "torchtune.models.llama3.qlora_llama3_8b".
    std::string network;
    bool addsAdapters = false;
    bool quantizes = false;
};

Builder builderOf(const ConfigSection& section)
{
    constexpr std::string_view adapters = "lora_";
    const std::string component = section.text(componentKey).value_or("");
    std::string_view name = std::string_view(component).substr(component.rfind('.') + 1);
    // qlora_* are lora_* with quantize_base=True.
    const bool quantizes = name.starts_with('q') && name.substr(1).starts_with(adapters);
    if (quantizes)
        name.remove_prefix(1);
    const bool addsAdapters = name.starts_with(adapters);
    if (addsAdapters)
        name.remove_prefix(adapters.size());
    return {.network = std::string(name), .addsAdapters = addsAdapters, .quantizes = quantizes};
}

void refuseOtherBuilders(const ConfigSection& section)
{
    const std::string component = section.text(componentKey).value_or("");
    for (const auto& [part, kind] : otherKinds) {
        if (component.find(part) != std::string::npos)
            throw notRun(section.positionOf(componentKey), cannotBeRun, sentence("{} ({})", kind, component));
    }
}

// LORA_ATTN_MODULES and get_lora_module_names in torchtune/modules/peft/_utils.py.
std::vector<model::AdapterTarget> readTargets(const ConfigSection& section)
{
    using enum model::Projection;
    constexpr std::string_view key = "lora_attn_modules";
    constexpr WordMap<model::Projection, 4> names{
        {{"q_proj", Query}, {"k_proj", Key}, {"v_proj", Value}, {"output_proj", AttentionOutput}}};
    const auto modules = section.words(key);
    // Each builder of attention refuses an empty list, and none has a default.
    if (!modules || modules->empty())
        section.fail(key, "names no projection; write some of q_proj, k_proj, v_proj and output_proj");
    std::vector<model::AdapterTarget> targets;
    for (const std::string& name : *modules) {
        const auto projection = meaningOf(names, name);
        if (!projection)
            section.fail(key, "has \"{}\"; write some of q_proj, k_proj, v_proj and output_proj", name);
        targets.push_back({.projection = *projection});
    }
    if (section.boolean("apply_lora_to_mlp").value_or(false)) {
        for (model::Projection projection : {Gate, Up, Down})
            targets.push_back({.projection = projection});
    }
    if (section.boolean("apply_lora_to_output").value_or(false))
        targets.push_back({.projection = Output});
    return targets;
}

/// Warns of weights that are not quantized. Only lora_qwen2 and lora_qwen3 leave matrices without an adapter
/// unquantized; the other builders quantize them as well (FrozenNF4Linear).
void warnOfWideWeights(const ConfigSection& section, const Builder& builder, const model::Tuning& tuning,
                       std::vector<Warning>& warnings)
{
    constexpr std::size_t projectionsOfLayer = 7;
    const auto adapted = std::ranges::count_if(tuning.targets, [](const model::AdapterTarget& target) {
        return target.projection != model::Projection::Output;
    });
    if (!builder.network.starts_with("qwen") || std::cmp_equal(adapted, projectionsOfLayer))
        return;
    warnOfApproximation(
        warnings, section.positionOf(componentKey), approximation::wideWeights,
        "The run has 4 bits for matrices beside which there is an adapter; trials have them for "
        "all matrices of the layers.");
}

/// Removes sliding windows except for Gemma 2, the only network of torchtune with windows
/// (torchtune/models/gemma2/_component_builders.py): its Mistral and its Phi-3 attend to all previous tokens,
/// whatever the config.json of the same sizes says.
model::ModelSpec withoutWindows(model::ModelSpec network, const Builder& builder)
{
    auto* decoder = std::get_if<DecoderSpec>(&network.architecture);
    if (decoder && !builder.network.starts_with("gemma2")) {
        decoder->attentionWindow = 0;
        decoder->windowedLayers.clear();
    }
    return network;
}

} // namespace

model::Tuning readTorchtuneTuning(const ConfigSection& section, std::vector<Warning>& warnings)
{
    const Builder builder = builderOf(section);
    if (!builder.addsAdapters)
        return {};
    const bool usesDora = section.boolean("use_dora").value_or(false);
    // Defaults of every lora_* of torchtune/models/*/_model_builders.py.
    model::Tuning tuning{.adapter = usesDora ? model::AdapterKind::Dora : model::AdapterKind::Lora,
                         .rank = sizeOr(section, "lora_rank", 8),
                         .alpha = section.number("lora_alpha").value_or(16.0),
                         .dropout = dropoutRateOr(section, "lora_dropout", 0.0),
                         .targets = readTargets(section)};
    if (section.boolean("quantize_base").value_or(builder.quantizes)) {
        // NF4Tensor of torchao: torchtune/modules/peft/lora.py and modules/low_precision/nf4_linear.py.
        tuning.frozenWeights = model::FrozenWeights::TorchaoNf4;
        warnOfWideWeights(section, builder, tuning, warnings);
    }
    return tuning;
}

model::ModelSpec readTorchtuneModel(const ConfigSection& section, std::vector<Warning>& warnings)
{
    const TextPosition position = section.positionOf(componentKey);
    refuseOtherBuilders(section);
    const Builder builder = builderOf(section);
    if (const auto id = meaningOf(namedBuilders, builder.network))
        return withoutWindows(namedNetwork(std::string(*id), position, warnings, section), builder);
    if (const auto* general = std::ranges::find(generalBuilders, builder.network, &GeneralBuilder::name);
        general != generalBuilders.end())
        return readGeneral(section, *general);
    throw networkElsewhere(
        position,
        "The network is built by \"{}\", which is not known here; give its config.json with --model.",
        section.text(componentKey).value_or(""));
}

void checkTorchtuneTuning(const ConfigSection& section, const model::ModelSpec& network)
{
    constexpr std::string_view key = "apply_lora_to_output";
    const auto* decoder = std::get_if<DecoderSpec>(&network.architecture);
    // lora_llama3_2, lora_qwen2 and lora_qwen3 in torchtune/models/*/_component_builders.py.
    if (decoder && decoder->tiedEmbeddings && section.boolean(key).value_or(false))
        section.fail(key,
                     "is True, which torchtune refuses of a network whose output is its embedding; write "
                     "False");
}

} // namespace batchpeak::config
