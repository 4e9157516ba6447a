// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_networks.h"
#include "network_readers.h"

#include <string>
#include <vector>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

/// Reads the dropout rates: both classes have three, ours has two.
void readDropout(DecoderSpec& spec, const ConfigSection& config, std::string_view residualKey,
                 std::string_view embeddingKey, std::vector<Warning>& warnings)
{
    spec.dropout = dropoutRateOr(config, residualKey, 0.0);
    if (dropoutRateOr(config, embeddingKey, 0.0) != spec.dropout) {
        warn(warnings, config.positionOf(embeddingKey),
             "Trials drop embeddings at the rate of {}, not at this one; the difference in speed is small.",
             config.pathOf(residualKey));
    }
}

} // namespace

// Defaults of GPTJConfig in transformers 5.23.0, models/gptj/configuration_gptj.py. Biases and branches are
// those of GPTJAttention, GPTJMLP, GPTJBlock and GPTJForCausalLM in modeling_gptj.py.
model::Architecture readHuggingFaceGptJ(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config,
                    {.suffixes = {"ForCausalLM"}, .alone = "GPTJModel", .head = std::string(vocabularyHead)},
                    warnings);
    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 50400),
                     .hiddenSize = sizeOr(config, keyThere(config, "n_embd", "hidden_size"), 4096),
                     .layers = sizeOr(config, keyThere(config, "n_layer", "num_hidden_layers"), 28),
                     .heads = sizeOr(config, headsKey, 16),
                     .maxPositions =
                         sizeOr(config, keyThere(config, "n_positions", "max_position_embeddings"), 2048),
                     .positionEmbedding = model::PositionEmbedding::Rotary,
                     .activation = readPlainActivation(config, "activation_function", "gelu_new"),
                     .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(false),
                     .attentionBias = false,
                     .attentionOutputBias = false,
                     .outputBias = true,
                     .branches = model::Branches::Parallel};
    spec.keyValueHeads = spec.heads;
    spec.feedForwardSize = sizeOr(config, "n_inner", 4 * spec.hiddenSize);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    spec.rotaryDimensions = config.isWrittenNull("rotary_dim") ? 0 : sizeOr(config, "rotary_dim", 64);
    spec.attentionDropout = dropoutRateOr(config, "attn_pdrop", 0.0);
    readDropout(spec, config, "resid_pdrop", "embd_pdrop", warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

namespace {

constexpr std::string_view typesKey = "attention_types";

[[noreturn]] void refuseTypes(const ConfigSection& config)
{
    config.fail(typesKey, "must be lists of types of attention and how often they come, as in "
                          "[[[global, local], 12]]");
}

/// Returns "global" or "local" for each layer, from lists of these words with repeat counts
/// (expand_attention_types_params of GPTNeoConfig); none if the key is absent.
std::vector<std::string> attentionTypes(const ConfigSection& config, std::int64_t layers)
{
    std::vector<std::string> types;
    const YamlNode* groups = config.value(typesKey);
    if (!groups)
        return types;
    if (groups->kind != NodeKind::Sequence)
        refuseTypes(config);
    for (const auto& group : groups->children) {
        const bool isPair = group->kind == NodeKind::Sequence && group->children.size() == 2 &&
                            group->children.front()->kind == NodeKind::Sequence &&
                            !group->children.front()->children.empty();
        const auto count = isPair ? asInteger(*group->children.back()) : std::nullopt;
        if (!count)
            refuseTypes(config);
        for (std::int64_t i = 0; i < *count && std::cmp_less(types.size(), layers); ++i) {
            for (const auto& type : group->children.front()->children)
                types.push_back(type->value);
        }
    }
    return types;
}

/// Returns the layers with a sliding window; the default is every other layer: __post_init__ of GPTNeoConfig.
std::vector<std::int64_t> localLayers(const ConfigSection& config, std::int64_t layers)
{
    const std::vector<std::string> types = attentionTypes(config, layers);
    if (!types.empty() && std::cmp_less(types.size(), layers)) {
        config.fail(typesKey, "has types for {} layers, but the network has {}", types.size(), layers);
    }
    std::vector<std::int64_t> local;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const auto index = static_cast<std::size_t>(layer);
        const bool isLocal = types.empty() ? layer % 2 == 1 : types[index] == "local";
        if (!isLocal && !types.empty() && types[index] != "global")
            refuse(config, typesKey, sentence("attention of the type \"{}\"", shortened(types[index])));
        if (isLocal)
            local.push_back(layer);
    }
    return local;
}

} // namespace

// Defaults of GPTNeoConfig in transformers 5.23.0, models/gpt_neo/configuration_gpt_neo.py; biases are those
// of GPTNeoSelfAttention in modeling_gpt_neo.py.
model::Architecture readHuggingFaceGptNeo(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(
        config, {.suffixes = {"ForCausalLM"}, .alone = "GPTNeoModel", .head = std::string(vocabularyHead)},
        warnings);
    const std::string_view headsKey = keyThere(config, "num_heads", "num_attention_heads");
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 50257),
                     .hiddenSize = sizeOr(config, "hidden_size", 2048),
                     .layers = sizeOr(config, keyThere(config, "num_layers", "num_hidden_layers"), 24),
                     .heads = sizeOr(config, headsKey, 16),
                     .maxPositions = sizeOr(config, "max_position_embeddings", 2048),
                     .activation = readPlainActivation(config, "activation_function", "gelu_new"),
                     .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true),
                     .attentionBias = false};
    spec.keyValueHeads = spec.heads;
    spec.feedForwardSize = sizeOr(config, "intermediate_size", 4 * spec.hiddenSize);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    if (const auto local = localLayers(config, spec.layers); !local.empty()) {
        spec.attentionWindow = sizeOr(config, "window_size", 256);
        if (std::cmp_less(local.size(), spec.layers))
            spec.windowedLayers = local;
    }
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", 0.0);
    readDropout(spec, config, "resid_dropout", "embed_dropout", warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

} // namespace batchpeak::config
