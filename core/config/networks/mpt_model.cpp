// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mpt_model.h"

#include "differences.h"
#include "network_sizes.h"
#include "syntax/words.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace batchpeak::config {

using model::Activation;
using model::DecoderSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

using MaybeSection = std::optional<ConfigSection>;

std::string wordOr(const MaybeSection& section, std::string_view key, const char* otherwise)
{
    return section ? section->text(key).value_or(otherwise) : otherwise;
}

bool isOn(const MaybeSection& section, std::string_view key)
{
    return section && section->isOn(key);
}

/// Nothing for a norm that trials do not have.
std::optional<Normalization> normalizationOf(const std::string& word)
{
    // llmfoundry/models/layers/norm.py; low precision is what autocast would not give them by itself.
    if (word == "layernorm" || word == "low_precision_layernorm")
        return Normalization::LayerNorm;
    if (word == "rmsnorm" || word == "low_precision_rmsnorm" || word == "triton_rmsnorm")
        return Normalization::RmsNorm;
    return std::nullopt;
}

/// Nothing for one that trials do not have.
std::optional<Activation> feedForwardActivation(const MaybeSection& feedForward)
{
    // resolve_ffn_act_fn in llmfoundry/models/layers/ffn.py: a function of torch by its name, GELU with the
    // error function where nothing is said.
    const auto function = feedForward ? feedForward->section("ffn_act_fn") : std::nullopt;
    const std::string name = wordOr(function, "name", "gelu");
    const bool isGated = wordOr(feedForward, "ffn_type", "mptmlp") == "mptglu";
    if (name == "silu" && isGated)
        return Activation::SwiGlu;
    if (name == "gelu" && isGated)
        return Activation::GeGlu;
    if (name == "gelu")
        return wordOr(function, "approximate", "none") == "tanh" ? Activation::GeluTanh : Activation::Gelu;
    return name == "relu" && !isGated ? std::optional(Activation::Relu) : std::nullopt;
}

bool hasPositions(const ConfigSection& model, const MaybeSection& attention)
{
    return isOn(attention, "alibi") || isOn(attention, "rope") ||
           model.boolean("learned_pos_emb").value_or(true);
}

using enum Difference::When;

constexpr std::array<Difference, 2> otherNetworks{
    {{"block_overrides", "layers that differ"}, {"final_logit_softcapping", "soft capping of logits"}}};

constexpr std::array<Difference, 7> otherAttentions{
    {{"qk_ln", "normalised queries and keys"},
     {"qk_gn", "normalised queries and keys"},
     {"attn_logit_softcapping", "soft capping of attention"},
     {"prefix_lm", "attention to a whole prefix"},
     {"kv_dim", "keys and values of another width"},
     {"reuse_kv_layer_idx", "keys and values of another layer"},
     {"attn_type", "the attention \"{value}\"", NoneOf,
      "multihead_attention multiquery_attention grouped_query_attention"}}};

constexpr std::array<Difference, 1> otherFeedForwards{
    {{"ffn_type", "the feed-forward layer \"{value}\"", NoneOf, "mptmlp mptglu"}}};

std::optional<UnsupportedModel> unsupportedFeature(const ConfigSection& model)
{
    if (const auto other = otherNetwork(model, otherNetworks))
        return other;
    const auto attention = model.section("attn_config");
    if (const auto other = attention ? otherNetwork(*attention, otherAttentions) : std::nullopt)
        return other;
    if (attention && attention->integer("sliding_window_size").value_or(-1) != -1)
        return unsupportedBecause(*attention, "sliding_window_size", "attention in a sliding window");
    if (!hasPositions(model, attention))
        return unsupportedBecause(model, "learned_pos_emb", "no position embedding");
    const std::string norm = model.text("norm_type").value_or("low_precision_layernorm");
    if (!normalizationOf(lowerCase(norm)))
        return unsupportedBecause(model, "norm_type", "the normalisation \"" + norm + "\"");
    const auto feedForward = model.section("ffn_config");
    if (const auto other = feedForward ? otherNetwork(*feedForward, otherFeedForwards) : std::nullopt)
        return other;
    if (!feedForwardActivation(feedForward))
        return unsupportedBecause(*feedForward, "ffn_act_fn", "another activation");
    return std::nullopt;
}

std::int64_t readFeedForwardSize(const ConfigSection& model, std::int64_t hiddenSize)
{
    const auto feedForward = model.section("ffn_config");
    if (feedForward && feedForward->has("ffn_hidden_size"))
        return requiredSize(*feedForward, "ffn_hidden_size");
    constexpr std::string_view key = "expansion_ratio";
    const double size = static_cast<double>(hiddenSize) * positiveNumberOr(model, key, 4.0);
    if (size != std::floor(size)) {
        model.fail(key,
                   "times d_model is no whole number; LLM-Foundry refuses that, so write one of which the "
                   "product is");
    }
    constexpr double largest = 1 << 22;
    return checkedSize(model, key, static_cast<std::int64_t>(std::min(size, largest + 1)));
}

std::int64_t readKeyValueHeads(const MaybeSection& attention, std::int64_t heads)
{
    const std::string type = wordOr(attention, "attn_type", "multihead_attention");
    if (type == "multiquery_attention")
        return 1;
    return type == "grouped_query_attention" ? requiredSize(*attention, "kv_n_heads") : heads;
}

void readPositions(const MaybeSection& attention, DecoderSpec& spec)
{
    // Either switches learned positions off: __init__ of MPTConfig.
    if (isOn(attention, "alibi"))
        spec.positionEmbedding = PositionEmbedding::Alibi;
    if (!isOn(attention, "rope"))
        return;
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.ropeTheta = positiveNumberOr(*attention, "rope_theta", 10000.0);
}

DecoderSpec readSpec(const ConfigSection& model)
{
    const auto attention = model.section("attn_config");
    DecoderSpec spec{.vocabularySize = sizeOr(model, "vocab_size", 50368),
                     .hiddenSize = sizeOr(model, "d_model", 2048),
                     .layers = sizeOr(model, "n_layers", 24),
                     .heads = sizeOr(model, "n_heads", 16),
                     .maxPositions = sizeOr(model, "max_seq_len", 2048)};
    spec.headSize = sizeOr(model, "head_dim", 0);
    spec.keyValueHeads = readKeyValueHeads(attention, spec.heads);
    spec.feedForwardSize = readFeedForwardSize(model, spec.hiddenSize);
    readPositions(attention, spec);
    // Known, or unsupportedFeature had named it.
    spec.normalization =
        *normalizationOf(lowerCase(model.text("norm_type").value_or("low_precision_layernorm")));
    spec.activation = *feedForwardActivation(model.section("ffn_config"));
    spec.tiedEmbeddings = model.boolean("tie_word_embeddings").value_or(true);
    const bool hasBias = !model.boolean("no_bias").value_or(false);
    spec.attentionBias = model.boolean("attention_bias").value_or(hasBias);
    spec.attentionOutputBias = hasBias;
    spec.feedForwardBias = hasBias;
    spec.normalizationEpsilon = positiveNumberOr(model, "norm_eps", 1e-5);
    spec.dropout = dropoutRateOr(model, "resid_pdrop", 0.0);
    spec.attentionDropout = attention ? dropoutRateOr(*attention, "attn_pdrop", 0.0) : 0.0;
    return spec;
}

void warnOfSmallDifferences(const ConfigSection& model, const DecoderSpec& spec,
                            std::vector<Warning>& warnings)
{
    const auto attention = model.section("attn_config");
    if (isOn(attention, "clip_qkv")) {
        warnings.push_back({"Trials do not clip queries, keys and values (clip_qkv), for which a run takes "
                            "somewhat more memory.",
                            attention->positionOf("clip_qkv")});
    }
    if (model.boolean("no_bias").value_or(false) && spec.normalization == Normalization::LayerNorm) {
        warnings.push_back(
            {"Trials have biases in the layer norms that no_bias leaves out; the difference is "
             "too small to measure.",
             model.positionOf("no_bias")});
    }
    if (model.number("emb_pdrop").value_or(0.0) != spec.dropout) {
        warnings.push_back(
            {"Trials drop embeddings at the rate of resid_pdrop, not at that of emb_pdrop; the "
             "difference in speed is small.",
             model.positionOf("emb_pdrop")});
    }
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> readMptModel(const ConfigSection& section,
                                                              std::vector<Warning>& warnings)
{
    if (const auto unsupported = unsupportedFeature(section))
        return *unsupported;
    model::ModelSpec spec{.family = "mpt", .architecture = readSpec(section)};
    if (const auto problem = problemWith(spec)) {
        const bool isGrouped = section.integer("n_heads").has_value();
        throw ConfigError(*problem, section.positionOf(isGrouped ? "n_heads" : "d_model"));
    }
    warnOfSmallDifferences(section, std::get<DecoderSpec>(spec.architecture), warnings);
    return spec;
}

} // namespace batchpeak::config
