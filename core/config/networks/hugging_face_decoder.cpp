// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_decoder.h"

#include "section_sizes.h"

#include <string>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

const std::string head = "its projection onto the vocabulary";

void checkSoundness(const DecoderSpec& spec, const ConfigSection& config, std::string_view headsKey)
{
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf(headsKey));
}

std::optional<UnsupportedModel> unsupportedPartOfGpt2(const ConfigSection& config)
{
    if (config.boolean("add_cross_attention").value_or(false))
        return networkWith(config, "add_cross_attention", "attention to an encoder");
    if (config.boolean("reorder_and_upcast_attn").value_or(false))
        return networkWith(config, "reorder_and_upcast_attn", "attention in fp32");
    const std::string activation = config.text("activation_function").value_or("gelu_new");
    if (!plainActivationOf(activation))
        return networkWith(config, "activation_function", "the activation \"" + activation + "\"");
    return std::nullopt;
}

void readDropoutOfGpt2(DecoderSpec& spec, const ConfigSection& config, std::vector<Warning>& warnings)
{
    spec.dropout = dropoutRateOr(config, "resid_pdrop", 0.1);
    spec.attentionDropout = dropoutRateOr(config, "attn_pdrop", 0.1);
    if (dropoutRateOr(config, "embd_pdrop", 0.1) != spec.dropout) {
        warnings.push_back({"Trials drop embeddings at the rate of " + config.pathOf("resid_pdrop") +
                                ", not at this one; the difference in speed is small.",
                            config.positionOf("embd_pdrop")});
    }
}

} // namespace

// Defaults of GPT2Config in transformers 5.23.0, models/gpt2/configuration_gpt2.py.
HuggingFaceNetwork readHuggingFaceGpt2(const ConfigSection& config, std::vector<Warning>& warnings)
{
    if (const auto unsupported = otherHead(
            config, {.suffixes = {"LMHeadModel", "ForCausalLM"}, .alone = "GPT2Model", .head = head},
            warnings))
        return *unsupported;
    if (const auto unsupported = unsupportedPartOfGpt2(config))
        return *unsupported;

    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 50257),
                     .hiddenSize = sizeOr(config, keyThere(config, "n_embd", "hidden_size"), 768),
                     .layers = sizeOr(config, keyThere(config, "n_layer", "num_hidden_layers"), 12),
                     .heads = sizeOr(config, headsKey, 12),
                     .maxPositions =
                         sizeOr(config, keyThere(config, "n_positions", "max_position_embeddings"), 1024)};
    spec.keyValueHeads = spec.heads;
    spec.feedForwardSize = sizeOr(config, "n_inner", 4 * spec.hiddenSize);
    spec.activation = *plainActivationOf(config.text("activation_function").value_or("gelu_new"));
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    readDropoutOfGpt2(spec, config, warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

// Defaults of BloomConfig in transformers 5.23.0, models/bloom/configuration_bloom.py.
HuggingFaceNetwork readHuggingFaceBloom(const ConfigSection& config, std::vector<Warning>& warnings)
{
    if (const auto unsupported =
            otherHead(config, {.suffixes = {"ForCausalLM"}, .alone = "BloomModel", .head = head}, warnings))
        return *unsupported;
    const bool isSliced = config.integer("pretraining_tp").value_or(1) > 1;
    if (isSliced && config.boolean("slow_but_exact").value_or(false))
        return networkWith(config, "slow_but_exact", "products in slices");

    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 250880),
                     .hiddenSize = sizeOr(config, keyThere(config, "hidden_size", "n_embed"), 64),
                     .layers = sizeOr(config, keyThere(config, "n_layer", "num_hidden_layers"), 2),
                     .heads = sizeOr(config, headsKey, 8),
                     // BloomConfig knows no limit; the files of BLOOM on the hub carry the length of its
                     // training, 2048 (arXiv 2211.05100, table 3).
                     .maxPositions = sizeOr(config, "seq_length", 2048),
                     .positionEmbedding = model::PositionEmbedding::Alibi,
                     // BloomGelu in modeling_bloom.py.
                     .activation = model::Activation::GeluTanh,
                     .embeddingNormalization = true};
    spec.keyValueHeads = spec.heads;
    // BloomMLP in modeling_bloom.py.
    spec.feedForwardSize = 4 * spec.hiddenSize;
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(config, "hidden_dropout", 0.0);
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", 0.0);
    checkSoundness(spec, config, headsKey);
    return spec;
}

} // namespace batchpeak::config
