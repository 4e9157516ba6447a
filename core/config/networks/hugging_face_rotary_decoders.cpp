// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "hugging_face_networks.h"
#include "network_readers.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

/// What a configuration class puts in the place of absent keys, and what its network has whatever a file
/// says.
struct ConfigurationClass
{
    std::string_view type;
    /// The class of the network without a head.
    std::string_view alone;
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 4096;
    std::int64_t feedForwardSize = 0;
    std::int64_t layers = 32;
    std::int64_t heads = 32;
    /// 0 for as many as there are heads.
    std::int64_t keyValueHeads = 0;
    /// 0 for the hidden size divided by the number of heads.
    std::int64_t headSize = 0;
    std::int64_t maxPositions = 0;
    double normalizationEpsilon = 1e-6;
    std::string_view epsilonKey = "rms_norm_eps";
    double ropeTheta = 10000.0;
    /// The share of a head that is rotated; 0 for all of it, whatever a file says.
    double rotaryShare = 0.0;
    bool tiedEmbeddings = false;
    /// Attention can be kept to a window; 0 for none where the key is absent.
    bool hasWindow = false;
    std::int64_t slidingWindow = 0;
    /// Feed-forward layers side by side; 0 for one.
    std::int64_t experts = 0;
    std::int64_t expertsPerToken = 2;
    /// Of the rate of dropout on residual branches; empty for none.
    std::string_view dropoutKey = {};
    double dropout = 0.0;
    double attentionDropout = 0.0;
};

// The classes of transformers 5.23.0, models/*/configuration_*.py; rope_theta is default_theta there, and
// 10000 where it has none.
constexpr std::array<ConfigurationClass, 14> classes{{{.type = "llama",
                                                       .alone = "LlamaModel",
                                                       .vocabularySize = 32000,
                                                       .feedForwardSize = 11008,
                                                       .maxPositions = 2048},
                                                      {.type = "mistral",
                                                       .alone = "MistralModel",
                                                       .vocabularySize = 32000,
                                                       .feedForwardSize = 14336,
                                                       .keyValueHeads = 8,
                                                       .maxPositions = 131072,
                                                       .hasWindow = true,
                                                       .slidingWindow = 4096},
                                                      {.type = "mixtral",
                                                       .alone = "MixtralModel",
                                                       .vocabularySize = 32000,
                                                       .feedForwardSize = 14336,
                                                       .keyValueHeads = 8,
                                                       .maxPositions = 131072,
                                                       .normalizationEpsilon = 1e-5,
                                                       .ropeTheta = 1e6,
                                                       .hasWindow = true,
                                                       .experts = 8},
                                                      {.type = "qwen2",
                                                       .alone = "Qwen2Model",
                                                       .vocabularySize = 151936,
                                                       .feedForwardSize = 22016,
                                                       .keyValueHeads = 32,
                                                       .maxPositions = 32768,
                                                       .hasWindow = true,
                                                       .slidingWindow = 4096},
                                                      {.type = "qwen3",
                                                       .alone = "Qwen3Model",
                                                       .vocabularySize = 151936,
                                                       .feedForwardSize = 22016,
                                                       .keyValueHeads = 32,
                                                       .headSize = 128,
                                                       .maxPositions = 32768,
                                                       .hasWindow = true,
                                                       .slidingWindow = 4096},
                                                      {.type = "qwen3_moe",
                                                       .alone = "Qwen3MoeModel",
                                                       .vocabularySize = 151936,
                                                       .hiddenSize = 2048,
                                                       .feedForwardSize = 768,
                                                       .layers = 24,
                                                       .keyValueHeads = 4,
                                                       .maxPositions = 32768,
                                                       .hasWindow = true,
                                                       .slidingWindow = 4096,
                                                       .experts = 128,
                                                       .expertsPerToken = 8},
                                                      {.type = "phi3",
                                                       .alone = "Phi3Model",
                                                       .vocabularySize = 32064,
                                                       .hiddenSize = 3072,
                                                       .feedForwardSize = 8192,
                                                       .maxPositions = 4096,
                                                       .normalizationEpsilon = 1e-5,
                                                       .rotaryShare = 1.0,
                                                       .hasWindow = true,
                                                       .dropoutKey = "resid_pdrop"},
                                                      {.type = "gemma",
                                                       .alone = "GemmaModel",
                                                       .vocabularySize = 256000,
                                                       .hiddenSize = 3072,
                                                       .feedForwardSize = 24576,
                                                       .layers = 28,
                                                       .heads = 16,
                                                       .keyValueHeads = 16,
                                                       .headSize = 256,
                                                       .maxPositions = 8192,
                                                       .tiedEmbeddings = true},
                                                      {.type = "stablelm",
                                                       .alone = "StableLmModel",
                                                       .vocabularySize = 50304,
                                                       .hiddenSize = 2560,
                                                       .feedForwardSize = 6912,
                                                       .keyValueHeads = 32,
                                                       .maxPositions = 4096,
                                                       .normalizationEpsilon = 1e-5,
                                                       .epsilonKey = "layer_norm_eps",
                                                       .rotaryShare = 0.25,
                                                       .dropoutKey = "hidden_dropout"},
                                                      {.type = "starcoder2",
                                                       .alone = "Starcoder2Model",
                                                       .vocabularySize = 49152,
                                                       .hiddenSize = 3072,
                                                       .feedForwardSize = 12288,
                                                       .layers = 30,
                                                       .heads = 24,
                                                       .keyValueHeads = 2,
                                                       .maxPositions = 4096,
                                                       .normalizationEpsilon = 1e-5,
                                                       .epsilonKey = "norm_epsilon",
                                                       .tiedEmbeddings = true,
                                                       .hasWindow = true,
                                                       .dropoutKey = "residual_dropout"},
                                                      {.type = "seed_oss",
                                                       .alone = "SeedOssModel",
                                                       .vocabularySize = 155136,
                                                       .feedForwardSize = 27648,
                                                       .layers = 64,
                                                       .heads = 80,
                                                       .keyValueHeads = 8,
                                                       .headSize = 128,
                                                       .maxPositions = 524288,
                                                       .dropoutKey = "residual_dropout",
                                                       .dropout = 0.1,
                                                       .attentionDropout = 0.1},
                                                      {.type = "glm",
                                                       .alone = "GlmModel",
                                                       .vocabularySize = 151552,
                                                       .feedForwardSize = 13696,
                                                       .layers = 40,
                                                       .keyValueHeads = 2,
                                                       .headSize = 128,
                                                       .maxPositions = 131072,
                                                       .normalizationEpsilon = 1.5625e-7,
                                                       .rotaryShare = 0.5},
                                                      {.type = "smollm3",
                                                       .alone = "SmolLM3Model",
                                                       .vocabularySize = 128256,
                                                       .hiddenSize = 2048,
                                                       .feedForwardSize = 11008,
                                                       .layers = 36,
                                                       .heads = 16,
                                                       .keyValueHeads = 4,
                                                       .maxPositions = 32768,
                                                       .ropeTheta = 2e6,
                                                       .tiedEmbeddings = true},
                                                      {.type = "hunyuan_v1_dense",
                                                       .alone = "HunYuanDenseV1Model",
                                                       .vocabularySize = 290943,
                                                       .feedForwardSize = 11008,
                                                       .maxPositions = 2048,
                                                       .normalizationEpsilon = 1e-5}}};

// What is said of a network here stands in its attention, MLP and decoder layer in transformers 5.23.0,
// models/*/modeling_*.py.

bool isQwen(const ConfigurationClass& known)
{
    return known.type.starts_with("qwen");
}

bool isStarcoder(const ConfigurationClass& known)
{
    return known.type == "starcoder2";
}

bool hasLayerNorm(const ConfigurationClass& known)
{
    return isStarcoder(known) || known.type == "stablelm";
}

model::Activation readActivation(const ConfigSection& config, const ConfigurationClass& known)
{
    constexpr std::string_view key = "hidden_act";
    if (isStarcoder(known))
        return readPlainActivation(config, key, "gelu_pytorch_tanh");
    std::string word = config.text(key).value_or("silu");
    // It has the tanh approximation whatever the file says of "gelu": __post_init__ of GemmaConfig. Older
    // files say it under hidden_activation.
    if (known.type == "gemma" && (word == "gelu" || word == "silu"))
        word = "gelu_pytorch_tanh";
    const auto gated = gatedActivationOf(word);
    if (!gated)
        refuse(config, key, sentence("the gated activation \"{}\"", word));
    return *gated;
}

void refuseOtherLayers(const ConfigSection& config)
{
    for (const std::string& layer : config.words("layer_types").value_or(std::vector<std::string>())) {
        if (layer != "full_attention" && layer != "sliding_attention")
            refuse(config, "layer_types", sentence("layers of the type \"{}\"", layer));
    }
    if (config.boolean("use_parallel_residual").value_or(false))
        refuse(config, "use_parallel_residual", "attention and feed-forward layers side by side");
    if (config.boolean("qk_layernorm").value_or(false))
        refuse(config, "qk_layernorm", "a normalisation of its own for each head");
    if (config.boolean("use_bidirectional_attention").value_or(false))
        refuse(config, "use_bidirectional_attention", "attention in both directions");
    if (config.integer("decoder_sparse_step").value_or(1) != 1)
        refuse(config, "decoder_sparse_step", "layers with experts and layers without");
    const auto dense = config.integers("mlp_only_layers");
    if (dense && !dense->empty())
        refuse(config, "mlp_only_layers", "layers with experts and layers without");
}

/// An absent key is the default, null is one for each head: __post_init__ of the configuration classes.
std::int64_t keyValueHeadsOf(const ConfigSection& config, const ConfigurationClass& known, std::int64_t heads)
{
    constexpr std::string_view key = "num_key_value_heads";
    const std::int64_t absent = config.find(key) ? 0 : known.keyValueHeads;
    return sizeOr(config, key, absent == 0 ? heads : absent);
}

/// 0 where heads share the hidden size.
std::int64_t headSizeOf(const ConfigSection& config, const ConfigurationClass& known, const DecoderSpec& spec)
{
    constexpr std::string_view key = "head_dim";
    if (known.headSize == 0 && !config.has(key))
        return 0;
    const std::int64_t size = sizeOr(config, key, known.headSize);
    return size * spec.heads == spec.hiddenSize ? 0 : size;
}

/// What rotary positions are made of stands beside the other keys, or in a mapping of its own since
/// transformers 5 (convert_rope_params_to_dict, modeling_rope_utils.py).
double rotaryNumberOf(const ConfigSection& config, std::string_view key, double otherwise)
{
    const double beside = positiveNumberOr(config, key, otherwise);
    for (std::string_view mapping : {"rope_scaling", "rope_parameters"}) {
        const ConfigSection section = config.sectionIfAny(mapping);
        if (section.has(key))
            return positiveNumberOr(section, key, beside);
    }
    return beside;
}

/// 0 for the whole head. Rounded down, as compute_default_rope_parameters does in modeling_rope_utils.py.
std::int64_t rotaryDimensionsOf(const ConfigSection& config, const ConfigurationClass& known,
                                const DecoderSpec& spec)
{
    if (known.rotaryShare == 0.0)
        return 0;
    const double share = rotaryNumberOf(config, "partial_rotary_factor", known.rotaryShare);
    const std::int64_t size = model::headSizeOf(spec);
    return share < 1.0 ? static_cast<std::int64_t>(static_cast<double>(size) * share) : 0;
}

/// Of Qwen the window is to be switched on, and first layers go without one: __post_init__ of Qwen2Config.
/// All layers of its networks with experts have it.
bool isWindowOn(const ConfigSection& config, const ConfigurationClass& known, std::int64_t layers)
{
    if (!isQwen(known))
        return known.hasWindow;
    const bool reachesLayers = known.type == "qwen3_moe" || config.has("layer_types") ||
                               config.integer("max_window_layers").value_or(28) < layers;
    return config.boolean("use_sliding_window").value_or(false) && reachesLayers;
}

/// Tokens that attention reaches back; nothing where it reaches all.
std::optional<std::int64_t> windowOf(const ConfigSection& config, const ConfigurationClass& known,
                                     std::int64_t layers)
{
    constexpr std::string_view key = "sliding_window";
    if (!isWindowOn(config, known, layers))
        return std::nullopt;
    const std::int64_t absent = config.find(key) ? 0 : known.slidingWindow;
    const std::int64_t window = sizeOr(config, key, absent);
    return window == 0 ? std::nullopt : std::optional(window);
}

DecoderSpec readSizes(const ConfigSection& config, const ConfigurationClass& known)
{
    const bool hasExperts = known.experts > 0;
    const std::string_view feedForwardKey =
        known.type == "qwen3_moe" ? "moe_intermediate_size" : "intermediate_size";
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", known.vocabularySize),
                     .hiddenSize = sizeOr(config, "hidden_size", known.hiddenSize),
                     .layers = sizeOr(config, "num_hidden_layers", known.layers),
                     .heads = sizeOr(config, "num_attention_heads", known.heads),
                     .feedForwardSize = sizeOr(config, feedForwardKey, known.feedForwardSize),
                     .maxPositions = sizeOr(config, "max_position_embeddings", known.maxPositions)};
    spec.keyValueHeads = keyValueHeadsOf(config, known, spec.heads);
    spec.headSize = headSizeOf(config, known, spec);
    if (hasExperts) {
        spec.experts = sizeOr(config, keyThere(config, "num_local_experts", "num_experts"), known.experts);
        spec.expertsPerToken = sizeOr(config, "num_experts_per_tok", known.expertsPerToken);
    }
    return spec;
}

/// Queries, keys and values of Qwen2 have biases whatever the file says, and those of Mistral, Mixtral and
/// Phi-3 none.
void readBiases(DecoderSpec& spec, const ConfigSection& config, const ConfigurationClass& known)
{
    const auto isOn = [&config](std::string_view key, bool otherwise = false) {
        return config.boolean(key).value_or(otherwise);
    };
    spec.attentionBias = false;
    spec.attentionOutputBias = false;
    spec.feedForwardBias = false;
    if (known.type == "qwen2") {
        spec.attentionBias = true;
    } else if (isStarcoder(known)) {
        spec.attentionBias = isOn("use_bias", true);
        spec.attentionOutputBias = spec.attentionBias;
        spec.feedForwardBias = spec.attentionBias;
    } else if (known.type == "stablelm") {
        spec.attentionBias = isOn("use_qkv_bias");
    } else if (known.type == "glm") {
        spec.attentionBias = isOn("attention_bias", true);
    } else if (known.type == "seed_oss") {
        spec.attentionBias = isOn("attention_bias", true);
        spec.attentionOutputBias = isOn("attention_out_bias");
        spec.feedForwardBias = isOn("mlp_bias");
    } else if (known.type != "mistral" && known.type != "mixtral" && known.type != "phi3") {
        spec.attentionBias = isOn("attention_bias");
        spec.attentionOutputBias = spec.attentionBias;
        spec.feedForwardBias = (known.type == "llama" || known.type == "smollm3") && isOn("mlp_bias");
    }
}

void readDropout(DecoderSpec& spec, const ConfigSection& config, const ConfigurationClass& known,
                 std::vector<Warning>& warnings)
{
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", known.attentionDropout);
    if (known.dropoutKey.empty())
        return;
    spec.dropout = dropoutRateOr(config, known.dropoutKey, known.dropout);
    const double ofEmbeddings = isStarcoder(known) ? dropoutRateOr(config, "embedding_dropout", 0.0) : 0.0;
    if (spec.dropout != ofEmbeddings) {
        warn(warnings, config.positionOf(known.dropoutKey),
             "Trials drop embeddings and every residual branch at the rate of {}, the network not all of "
             "them; "
             "the difference in speed is small.",
             config.pathOf(known.dropoutKey));
    }
}

void checkRotarySoundness(const DecoderSpec& spec, const ConfigSection& config)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    if (spec.heads % spec.keyValueHeads != 0)
        throw ConfigError(*problem, config.positionOf("num_key_value_heads"));
    if (!model::chooseableExperts(spec))
        throw ConfigError(*problem, config.positionOf("num_experts_per_tok"));
    throw ConfigError(*problem,
                      config.positionOf(config.has("head_dim") ? "head_dim" : "num_attention_heads"));
}

/// Every fourth layer of SmolLM3 has no positions (no_rope_layers): trials rotate there too.
void warnOfMissingRotation(const ConfigSection& config, std::vector<Warning>& warnings)
{
    if (config.boolean("use_sliding_window").value_or(false))
        refuse(config, "use_sliding_window", "windows in some layers");
    warnOfApproximation(
        warnings, config.positionOf("model_type"), approximation::rotatedLayers,
        "The network has layers without positions; trials rotate queries and keys in all of them, "
        "which takes a little longer.");
}

void warnOfManyExperts(const DecoderSpec& spec, const ConfigSection& config, std::vector<Warning>& warnings)
{
    // Trials run one expert after the other, transformers 5 all of them in one product (grouped_mm,
    // integrations/moe.py): that is no matter where there are few large ones.
    constexpr std::int64_t few = 16;
    if (spec.experts <= few)
        return;
    warnOfApproximation(
        warnings, config.positionOf("num_experts"), approximation::singleExperts,
        "The network has {} small experts, which trials run one after the other; a trainer that "
        "runs them in one product is faster.",
        spec.experts);
}

} // namespace

model::Architecture readHuggingFaceRotaryDecoder(const ConfigSection& config, std::string_view type,
                                                 std::vector<Warning>& warnings)
{
    const ConfigurationClass& known = *std::ranges::find(classes, type, &ConfigurationClass::type);
    refuseOtherHead(
        config,
        {.suffixes = {"ForCausalLM"}, .alone = known.alone, .head = "its projection onto the vocabulary"},
        warnings);
    const model::Activation activation = readActivation(config, known);
    refuseOtherLayers(config);

    DecoderSpec spec = readSizes(config, known);
    spec.positionEmbedding = model::PositionEmbedding::Rotary;
    spec.normalization =
        hasLayerNorm(known) ? model::Normalization::LayerNorm : model::Normalization::RmsNorm;
    spec.activation = activation;
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(known.tiedEmbeddings);
    spec.queryKeyNormalization = known.type.starts_with("qwen3") || known.type == "hunyuan_v1_dense";
    spec.normalizationEpsilon = positiveNumberOr(config, known.epsilonKey, known.normalizationEpsilon);
    spec.ropeTheta = rotaryNumberOf(config, "rope_theta", known.ropeTheta);
    spec.rotaryDimensions = rotaryDimensionsOf(config, known, spec);
    readBiases(spec, config, known);
    readDropout(spec, config, known, warnings);
    if (const auto window = windowOf(config, known, spec.layers))
        limitToWindow(spec, *window, config.positionOf("sliding_window"), warnings);
    checkRotarySoundness(spec, config);
    warnOfManyExperts(spec, config, warnings);
    if (known.type == "smollm3")
        warnOfMissingRotation(config, warnings);
    return spec;
}

} // namespace batchpeak::config
