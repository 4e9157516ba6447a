// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "network_readers.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <array>
#include <cmath>
#include <string>

namespace batchpeak::config {

using model::Activation;
using model::DecoderSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

/// \throws NotRun if trials do not support it
Normalization readNormalization(const ConfigSection& model)
{
    // llmfoundry/models/layers/norm.py; "low precision" is a type that autocast alone would not use for them.
    constexpr WordMap<Normalization, 5> words{{{"layernorm", Normalization::LayerNorm},
                                               {"low_precision_layernorm", Normalization::LayerNorm},
                                               {"rmsnorm", Normalization::RmsNorm},
                                               {"low_precision_rmsnorm", Normalization::RmsNorm},
                                               {"triton_rmsnorm", Normalization::RmsNorm}}};
    const std::string word = model.text("norm_type").value_or("low_precision_layernorm");
    const auto known = meaningOf(words, lowerCase(word));
    if (!known)
        refuseNetwork(model, "norm_type", sentence("the normalization \"{}\"", word));
    return *known;
}

/// \throws NotRun if trials do not support it
Activation readActivation(const ConfigSection& feedForward)
{
    // resolve_ffn_act_fn in llmfoundry/models/layers/ffn.py: the name of a function of torch; the default is
    // GELU with the error function.
    const ConfigSection function = feedForward.sectionAt("ffn_act_fn");
    const std::string name = function.text("name").value_or("gelu");
    const bool isGated = feedForward.text("ffn_type").value_or("mptmlp") == "mptglu";
    if (name == "silu" && isGated)
        return Activation::SwiGlu;
    if (name == "gelu" && isGated)
        return Activation::GeGlu;
    if (name == "gelu")
        return function.text("approximate").value_or("none") == "tanh" ? Activation::GeluTanh
                                                                       : Activation::Gelu;
    if (name != "relu" || isGated)
        refuseNetwork(feedForward, "ffn_act_fn", "another activation");
    return Activation::Relu;
}

using enum UnmodeledFeature::When;

constexpr std::array<UnmodeledFeature, 1> otherMpts{{{"block_overrides", "layers that differ"}}};

constexpr std::array<UnmodeledFeature, 6> otherAttentions{
    {{"qk_ln", "normalized queries and keys"},
     {"qk_gn", "normalized queries and keys"},
     {"prefix_lm", "attention to a whole prefix"},
     {"kv_dim", "keys and values of another width"},
     {"reuse_kv_layer_idx", "keys and values of another layer"},
     {"attn_type", "the attention \"{value}\"", NoneOf,
      "multihead_attention multiquery_attention grouped_query_attention"}}};

constexpr std::array<UnmodeledFeature, 1> otherFeedForwards{
    {{"ffn_type", "the feed-forward layer \"{value}\"", NoneOf, "mptmlp mptglu"}}};

constexpr std::string_view windowKey = "sliding_window_size";

bool hasWindow(const ConfigSection& attention)
{
    return attention.integer(windowKey).value_or(-1) != -1;
}

void refuseOtherAttention(const ConfigSection& model, const ConfigSection& attention)
{
    refuseOtherNetwork(attention, otherAttentions);
    if (attention.isOn("alibi") && hasWindow(attention))
        refuseNetwork(attention, windowKey, "ALiBi positions in a sliding window");
    const bool hasPositions =
        attention.isOn("alibi") || attention.isOn("rope") || model.boolean("learned_pos_emb").value_or(true);
    if (!hasPositions)
        refuseNetwork(model, "learned_pos_emb", "no position embedding");
}

std::int64_t readFeedForwardSize(const ConfigSection& model, std::int64_t hiddenSize)
{
    const ConfigSection feedForward = model.sectionAt("ffn_config");
    if (feedForward.has("ffn_hidden_size"))
        return requiredSize(feedForward, "ffn_hidden_size");
    constexpr std::string_view key = "expansion_ratio";
    const double size = static_cast<double>(hiddenSize) * positiveNumberOr(model, key, 4.0);
    if (size != std::floor(size)) {
        model.fail(key,
                   "times d_model must be a whole number, or LLM-Foundry refuses it; write another value");
    }
    constexpr double largest = 1 << 22;
    return checkedSize(model, key, static_cast<std::int64_t>(std::min(size, largest + 1)));
}

std::int64_t readKeyValueHeads(const ConfigSection& attention, std::int64_t heads)
{
    const std::string type = attention.text("attn_type").value_or("multihead_attention");
    if (type == "multiquery_attention")
        return 1;
    return type == "grouped_query_attention" ? requiredSize(attention, "kv_n_heads") : heads;
}

void readPositions(const ConfigSection& attention, DecoderSpec& spec)
{
    // Each of these keys turns learned positions off: __init__ of MPTConfig.
    if (attention.isOn("alibi"))
        spec.positionEmbedding = PositionEmbedding::Alibi;
    if (!attention.isOn("rope"))
        return;
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.ropeTheta = positiveNumberOr(attention, "rope_theta", 10000.0);
}

/// Reads settings of attention scores. flash_attn_fn in llmfoundry/models/layers/attention.py: a token
/// attends to that many tokens before it.
void readScores(const ConfigSection& model, const ConfigSection& attention, DecoderSpec& spec)
{
    if (hasWindow(attention))
        spec.attentionWindow = requiredSize(attention, windowKey) + 1;
    if (attention.has("attn_logit_softcapping"))
        spec.attentionSoftCap = positiveNumberOr(attention, "attn_logit_softcapping", 0.0);
    if (model.has("final_logit_softcapping"))
        spec.logitSoftCap = positiveNumberOr(model, "final_logit_softcapping", 0.0);
}

DecoderSpec readSpec(const ConfigSection& model)
{
    refuseOtherNetwork(model, otherMpts);
    const ConfigSection attention = model.sectionAt("attn_config");
    refuseOtherAttention(model, attention);
    const Normalization normalization = readNormalization(model);
    const ConfigSection feedForward = model.sectionAt("ffn_config");
    refuseOtherNetwork(feedForward, otherFeedForwards);
    const Activation activation = readActivation(feedForward);

    DecoderSpec spec{.vocabularySize = sizeOr(model, "vocab_size", 50368),
                     .hiddenSize = sizeOr(model, "d_model", 2048),
                     .layers = sizeOr(model, "n_layers", 24),
                     .heads = sizeOr(model, "n_heads", 16),
                     .maxPositions = sizeOr(model, "max_seq_len", 2048)};
    spec.headSize = sizeOr(model, "head_dim", 0);
    spec.keyValueHeads = readKeyValueHeads(attention, spec.heads);
    spec.feedForwardSize = readFeedForwardSize(model, spec.hiddenSize);
    readPositions(attention, spec);
    readScores(model, attention, spec);
    spec.normalization = normalization;
    spec.activation = activation;
    spec.tiedEmbeddings = model.boolean("tie_word_embeddings").value_or(true);
    const bool hasBias = !model.boolean("no_bias").value_or(false);
    spec.attentionBias = model.boolean("attention_bias").value_or(hasBias);
    spec.attentionOutputBias = hasBias;
    spec.feedForwardBias = hasBias;
    // MPTModel.__init__ in llmfoundry/models/mpt/modeling_mpt.py removes the biases of all modules.
    spec.normalizationBias = hasBias || normalization == Normalization::RmsNorm;
    spec.normalizationEpsilon = positiveNumberOr(model, "norm_eps", 1e-5);
    spec.dropout = dropoutRateOr(model, "resid_pdrop", 0.0);
    spec.attentionDropout = dropoutRateOr(attention, "attn_pdrop", 0.0);
    return spec;
}

void warnOfSmallDifferences(const ConfigSection& model, const DecoderSpec& spec,
                            std::vector<Warning>& warnings)
{
    const ConfigSection attention = model.sectionAt("attn_config");
    if (attention.isOn("clip_qkv")) {
        warnOfApproximation(
            warnings, attention.positionOf("clip_qkv"), approximation::clippedQueries,
            "Trials do not clip queries, keys and values (clip_qkv), so the run takes somewhat more memory.");
    }
    if (model.number("emb_pdrop").value_or(0.0) != spec.dropout) {
        warn(warnings, model.positionOf("emb_pdrop"),
             "Trials drop embeddings at the rate of resid_pdrop, not at that of emb_pdrop; the difference in "
             "speed is small.");
    }
}

} // namespace

model::ModelSpec readMptModel(const ConfigSection& section, std::vector<Warning>& warnings)
{
    model::ModelSpec spec{.family = "mpt", .architecture = readSpec(section)};
    if (const auto problem = problemWith(spec)) {
        throw ConfigError(*problem, section.positionOf(section.has("n_heads") ? "n_heads" : "d_model"));
    }
    warnOfSmallDifferences(section, std::get<DecoderSpec>(spec.architecture), warnings);
    return spec;
}

void warnOfMptKernels(const ConfigSection& model, std::vector<Warning>& warnings)
{
    // ComposerMPTCausalLM in llmfoundry/models/mpt/modeling_mpt.py, whose default loss is that of flash-attn.
    if (model.text("loss_fn").value_or("fused_crossentropy") != "torch_crossentropy") {
        warnOfApproximation(
            warnings, model.positionOf("loss_fn"), approximation::otherKernels,
            "The run computes its loss by flash-attn's kernel; trials run PyTorch's, which takes "
            "longer and more memory. With loss_fn: torch_crossentropy the run does too.");
    }
    // The value is a word, or a section whose name is the word: MPTConfig in
    // llmfoundry/models/mpt/configuration_mpt.py.
    constexpr std::string_view layersKey = "fc_type";
    const std::string layers = model.hasSection(layersKey)
                                   ? model.section(layersKey)->text("name").value_or("torch")
                                   : model.text(layersKey).value_or("torch");
    if (layers != "torch") {
        warnOfApproximation(warnings, model.positionOf(layersKey), approximation::otherKernels,
                            "The run has linear layers of TransformerEngine ({}: {}); trials run PyTorch's.",
                            model.pathOf(layersKey), layers);
    }
}

} // namespace batchpeak::config
