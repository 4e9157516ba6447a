// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_networks.h"
#include "network_readers.h"

namespace batchpeak::config {

using model::DecoderSpec;

// The first Qwen, whose network is custom code on the hub: defaults of QWenConfig in configuration_qwen.py of
// Qwen/Qwen-7B. In its modeling_qwen.py each of the two matrices before the activation in QWenMLP has half of
// intermediate_size, and c_attn of QWenAttention has biases whatever no_bias says.
model::Architecture readHuggingFaceQwen(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(
        config,
        {.suffixes = {"LMHeadModel"}, .alone = "QWenModel", .head = "its projection onto the vocabulary"},
        warnings);
    const bool hasBias = !config.boolean("no_bias").value_or(true);
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 151936),
                     .hiddenSize = sizeOr(config, "hidden_size", 4096),
                     .layers = sizeOr(config, "num_hidden_layers", 32),
                     .heads = sizeOr(config, "num_attention_heads", 32),
                     .headSize = sizeOr(config, "kv_channels", 128),
                     .feedForwardSize = sizeOr(config, "intermediate_size", 22016) / 2,
                     .maxPositions = sizeOr(config, "max_position_embeddings", 8192),
                     .positionEmbedding = model::PositionEmbedding::Rotary,
                     .normalization = model::Normalization::RmsNorm,
                     .activation = model::Activation::SwiGlu,
                     .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(false),
                     .attentionBias = true,
                     .attentionOutputBias = hasBias,
                     .feedForwardBias = hasBias};
    spec.keyValueHeads = spec.heads;
    if (spec.headSize * spec.heads == spec.hiddenSize)
        spec.headSize = 0;
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-6);
    spec.ropeTheta = positiveNumberOr(config, "rotary_emb_base", 10000.0);
    const double share = positiveNumberOr(config, "rotary_pct", 1.0);
    if (share < 1.0)
        spec.rotaryDimensions = static_cast<std::int64_t>(static_cast<double>(headSizeOf(spec)) * share);
    spec.attentionDropout = dropoutRateOr(config, "attn_dropout_prob", 0.0);
    spec.dropout = dropoutRateOr(config, "emb_dropout_prob", 0.0);
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("num_attention_heads"));
    return spec;
}

} // namespace batchpeak::config
