// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "hugging_face_networks.h"
#include "network_readers.h"

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

/// Refuses variants such as those of OPT-350m.
void refuseOtherParts(const ConfigSection& config, std::int64_t hiddenSize)
{
    if (sizeOr(config, "word_embed_proj_dim", hiddenSize) != hiddenSize)
        refuse(config, "word_embed_proj_dim", "embeddings of another width than its layers");
    if (!config.boolean("do_layer_norm_before").value_or(true))
        refuse(config, "do_layer_norm_before", "normalizations behind each branch alone");
    if (config.boolean("_remove_final_layer_norm").value_or(false))
        refuse(config, "_remove_final_layer_norm", "no normalization of its last layer");
    if (!config.boolean("layer_norm_elementwise_affine").value_or(true))
        refuse(config, "layer_norm_elementwise_affine", "normalizations without weights");
}

} // namespace

// Defaults of OPTConfig in transformers 5.23.0, models/opt/configuration_opt.py. The offset of positions is
// that of OPTLearnedPositionalEmbedding in modeling_opt.py, whose LayerNorms have the epsilon of torch.
model::Architecture readHuggingFaceOpt(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(
        config,
        {.suffixes = {"ForCausalLM"}, .alone = "OPTModel", .head = "its projection onto the vocabulary"},
        warnings);
    const bool hasBias = config.boolean("enable_bias").value_or(true);
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 50272),
                     .hiddenSize = sizeOr(config, "hidden_size", 768),
                     .layers = sizeOr(config, "num_hidden_layers", 12),
                     .heads = sizeOr(config, "num_attention_heads", 12),
                     .feedForwardSize = sizeOr(config, "ffn_dim", 3072),
                     .maxPositions = sizeOr(config, "max_position_embeddings", 2048),
                     .activation = readPlainActivation(config, "activation_function", "relu"),
                     .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true),
                     .attentionBias = hasBias,
                     .attentionOutputBias = hasBias,
                     .feedForwardBias = hasBias,
                     .positionOffset = 2};
    refuseOtherParts(config, spec.hiddenSize);
    spec.keyValueHeads = spec.heads;
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", 0.0);
    spec.dropout = dropoutRateOr(config, "dropout", 0.1);
    if (spec.dropout > 0.0) {
        warn(warnings, config.positionOf("dropout"),
             "Trials drop embeddings at the rate of {} too, which the network does not; the difference in "
             "speed is small.",
             config.pathOf("dropout"));
    }
    if (dropoutRateOr(config, "layerdrop", 0.0) > 0.0) {
        warnOfApproximation(warnings, config.positionOf("layerdrop"), approximation::droppedLayers,
                            "The run leaves out layers at random ({}); trials run all of them, which takes "
                            "longer.",
                            config.pathOf("layerdrop"));
    }
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("num_attention_heads"));
    return spec;
}

} // namespace batchpeak::config
