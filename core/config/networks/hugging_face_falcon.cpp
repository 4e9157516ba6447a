// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_networks.h"
#include "network_readers.h"

namespace batchpeak::config {

using model::Branches;
using model::DecoderSpec;

namespace {

/// Returns how branches are arranged. In the newer architecture they are always parallel, with two
/// normalizations unless a file sets 1 (FalconDecoderLayer).
Branches branchesOf(const ConfigSection& config, bool isNew)
{
    if (!isNew) {
        return config.boolean("parallel_attn").value_or(true) ? Branches::Parallel : Branches::Sequential;
    }
    return sizeOr(config, "num_ln_in_parallel_attn", 2) == 1 ? Branches::Parallel : Branches::ParallelNorms;
}

std::int64_t keyValueHeadsOf(const ConfigSection& config, bool isNew, std::int64_t heads)
{
    if (!isNew && config.boolean("multi_query").value_or(true))
        return 1;
    return sizeOr(config, "num_kv_heads", heads);
}

} // namespace

// Defaults of FalconConfig in transformers 5.23.0, models/falcon/configuration_falcon.py. What no key sets is
// as in FalconAttention and FalconMLP in modeling_falcon.py.
model::Architecture readHuggingFaceFalcon(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(
        config,
        {.suffixes = {"ForCausalLM"}, .alone = "FalconModel", .head = "its projection onto the vocabulary"},
        warnings);
    const bool isNew = config.boolean("new_decoder_architecture").value_or(false);
    const bool hasBias = config.boolean("bias").value_or(false);
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 65024),
                     .hiddenSize = sizeOr(config, keyThere(config, "hidden_size", "n_embed"), 4544),
                     .layers = sizeOr(config, "num_hidden_layers", 32),
                     .heads = sizeOr(config, "num_attention_heads", 71),
                     .maxPositions = sizeOr(config, "max_position_embeddings", 2048),
                     .activation = readPlainActivation(config, "activation", "gelu"),
                     .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true),
                     .attentionBias = hasBias,
                     .attentionOutputBias = hasBias,
                     .feedForwardBias = hasBias,
                     .branches = branchesOf(config, isNew)};
    spec.keyValueHeads = keyValueHeadsOf(config, isNew, spec.heads);
    spec.feedForwardSize = sizeOr(config, "ffn_hidden_size", 4 * spec.hiddenSize);
    const bool hasAlibi = config.boolean("alibi").value_or(false);
    spec.positionEmbedding = hasAlibi ? model::PositionEmbedding::Alibi : model::PositionEmbedding::Rotary;
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    spec.ropeTheta = positiveNumberOr(config, "rope_theta", 10000.0);
    spec.dropout = dropoutRateOr(config, "hidden_dropout", 0.0);
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", 0.0);
    if (spec.dropout > 0.0) {
        warn(warnings, config.positionOf("hidden_dropout"),
             "Trials drop embeddings and every residual branch at the rate of {}, the network not all of "
             "them; the difference in speed is small.",
             config.pathOf("hidden_dropout"));
    }
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("num_attention_heads"));
    return spec;
}

} // namespace batchpeak::config
