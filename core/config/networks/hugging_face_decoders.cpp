// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_networks.h"
#include "network_readers.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

/// Reads the sizes, with the defaults of GPT2Config and GPTBigCodeConfig.
DecoderSpec readSizesOfGpt2(const ConfigSection& config, std::string_view headsKey)
{
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 50257),
                     .hiddenSize = sizeOr(config, keyThere(config, "n_embd", "hidden_size"), 768),
                     .layers = sizeOr(config, keyThere(config, "n_layer", "num_hidden_layers"), 12),
                     .heads = sizeOr(config, headsKey, 12),
                     .maxPositions =
                         sizeOr(config, keyThere(config, "n_positions", "max_position_embeddings"), 1024)};
    spec.keyValueHeads = spec.heads;
    spec.feedForwardSize = sizeOr(config, "n_inner", 4 * spec.hiddenSize);
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    return spec;
}

void readDropoutOfGpt2(DecoderSpec& spec, const ConfigSection& config, std::vector<Warning>& warnings)
{
    spec.dropout = dropoutRateOr(config, "resid_pdrop", 0.1);
    spec.attentionDropout = dropoutRateOr(config, "attn_pdrop", 0.1);
    if (dropoutRateOr(config, "embd_pdrop", 0.1) != spec.dropout) {
        warn(warnings, config.positionOf("embd_pdrop"),
             "Trials drop embeddings at the rate of {}, not at this one; the difference in speed is small.",
             config.pathOf("resid_pdrop"));
    }
}

} // namespace

// Defaults of GPT2Config in transformers 5.23.0, models/gpt2/configuration_gpt2.py.
model::Architecture readHuggingFaceGpt2(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config,
                    {.suffixes = {"LMHeadModel", "ForCausalLM"},
                     .alone = "GPT2Model",
                     .head = std::string(vocabularyHead)},
                    warnings);
    if (config.boolean("add_cross_attention").value_or(false))
        refuse(config, "add_cross_attention", "attention to an encoder");
    if (config.boolean("reorder_and_upcast_attn").value_or(false))
        refuse(config, "reorder_and_upcast_attn", "attention in fp32");
    const model::Activation activation = readPlainActivation(config, "activation_function", "gelu_new");

    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec = readSizesOfGpt2(config, headsKey);
    spec.activation = activation;
    readDropoutOfGpt2(spec, config, warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

// Defaults of BloomConfig in transformers 5.23.0, models/bloom/configuration_bloom.py.
model::Architecture readHuggingFaceBloom(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config,
                    {.suffixes = {"ForCausalLM"}, .alone = "BloomModel", .head = std::string(vocabularyHead)},
                    warnings);
    const bool isSliced = config.integer("pretraining_tp").value_or(1) > 1;
    if (isSliced && config.boolean("slow_but_exact").value_or(false))
        refuse(config, "slow_but_exact", "products in slices");

    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 250880),
                     .hiddenSize = sizeOr(config, keyThere(config, "hidden_size", "n_embed"), 64),
                     .layers = sizeOr(config, keyThere(config, "n_layer", "num_hidden_layers"), 2),
                     .heads = sizeOr(config, headsKey, 8),
                     // BloomConfig has no limit; the files of BLOOM on the hub contain the length of its
                     // training, 2048 (arXiv 2211.05100, table 3).
                     .maxPositions = sizeOr(config, "seq_length", 2048),
                     .positionEmbedding = model::PositionEmbedding::Alibi,
                     // BloomGelu in modeling_bloom.py.
                     .activation = model::Activation::BloomGelu,
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

// Defaults of GPTBigCodeConfig in transformers 5.23.0, models/gpt_bigcode/configuration_gpt_bigcode.py.
model::Architecture readHuggingFaceGptBigCode(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(
        config,
        {.suffixes = {"ForCausalLM"}, .alone = "GPTBigCodeModel", .head = std::string(vocabularyHead)},
        warnings);
    if (config.boolean("add_cross_attention").value_or(false))
        refuse(config, "add_cross_attention", "attention to an encoder");
    const model::Activation activation =
        readPlainActivation(config, "activation_function", "gelu_pytorch_tanh");
    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec = readSizesOfGpt2(config, headsKey);
    spec.activation = activation;
    // All heads share one key and one value: GPTBigCodeAttention in modeling_gpt_bigcode.py.
    if (config.boolean("multi_query").value_or(true))
        spec.keyValueHeads = 1;
    readDropoutOfGpt2(spec, config, warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

} // namespace batchpeak::config
