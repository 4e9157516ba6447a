// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "differences.h"
#include "hub_models.h"
#include "network_readers.h"
#include "run_reader.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

constexpr std::string_view componentKey = "_component_";

// Functions of torchtune/models/*/_model_builders.py of torchtune 0.7, and the network of the same sizes and
// positions. Its Mistral has no sliding window, as the second version, not the first.
constexpr WordTable<std::string_view, 38> namedBuilders{
    {{"llama2_7b", "meta-llama/Llama-2-7b-hf"},
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
     {"qwen3_32b", "Qwen/Qwen3-32B"}}};

/// A builder that takes all sizes, and the defaults of its arguments.
struct GeneralBuilder
{
    std::string_view name;
    std::string_view family;
    double ropeBase = 0;
    bool tiedEmbeddings = false;
    bool attentionBias = false;
};

// Signatures in torchtune/models/*/_component_builders.py of torchtune 0.7.
constexpr std::array<GeneralBuilder, 6> generalBuilders{
    {{.name = "llama2", .family = "llama", .ropeBase = 10000},
     {.name = "llama3", .family = "llama", .ropeBase = 500000},
     {.name = "llama3_1", .family = "llama", .ropeBase = 500000},
     {.name = "llama3_2", .family = "llama", .ropeBase = 500000, .tiedEmbeddings = true},
     {.name = "mistral", .family = "mistral", .ropeBase = 10000},
     {.name = "qwen2", .family = "qwen2", .ropeBase = 1000000, .attentionBias = true}}};

/// Where intermediate_dim is absent: scale_hidden_dim_for_mlp in torchtune/models/llama3/_model_utils.py.
std::int64_t usualFeedForwardSize(std::int64_t hiddenSize)
{
    constexpr std::int64_t unit = 256;
    return (4 * (2 * hiddenSize / 3) + unit - 1) / unit * unit;
}

/// One value for several keys that must agree.
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
    spec.feedForwardSize = sizeOr(section, "intermediate_dim", usualFeedForwardSize(spec.hiddenSize));
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
        refuseNetwork(section, "q_norm", "normalisation of either queries or keys");
    DecoderSpec spec = readSizes(section, builder);
    spec.attentionBias = *bias;
    spec.queryKeyNormalization = *norm;
    model::ModelSpec network{.family = std::string(builder.family), .architecture = spec};
    if (const auto problem = problemWith(network))
        throw ConfigError(*problem, section.positionOf("num_heads"));
    return network;
}

bool addsAdapters(std::string_view name)
{
    return name.starts_with("lora_") || name.starts_with("qlora_") || name.starts_with("dora_") ||
           name.starts_with("qdora_");
}

} // namespace

model::ModelSpec readTorchtuneModel(const ConfigSection& section, std::vector<Warning>& warnings)
{
    const std::string component = section.text(componentKey).value_or("");
    const std::string name = component.substr(component.rfind('.') + 1);
    if (addsAdapters(name))
        refuseAdapter(section.positionOf(componentKey), name.substr(0, name.find('_')));
    const TextPosition position = section.positionOf(componentKey);
    if (const auto id = meaningOf(namedBuilders, name))
        return namedNetwork(std::string(*id), position, warnings, section);
    if (const auto* general = std::ranges::find(generalBuilders, name, &GeneralBuilder::name);
        general != generalBuilders.end())
        return readGeneral(section, *general);
    throw networkElsewhere(
        position,
        "The network is built by \"{}\", which is not known here; give its config.json with --model.",
        component);
}

} // namespace batchpeak::config
