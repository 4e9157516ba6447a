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

const std::string head = "its projection onto the vocabulary";

void checkSoundness(const DecoderSpec& spec, const ConfigSection& config, std::string_view headsKey)
{
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf(headsKey));
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
    refuseOtherHead(config, {.suffixes = {"LMHeadModel", "ForCausalLM"}, .alone = "GPT2Model", .head = head},
                    warnings);
    if (config.boolean("add_cross_attention").value_or(false))
        refuse(config, "add_cross_attention", "attention to an encoder");
    if (config.boolean("reorder_and_upcast_attn").value_or(false))
        refuse(config, "reorder_and_upcast_attn", "attention in fp32");
    const model::Activation activation = readPlainActivation(config, "activation_function", "gelu_new");

    const std::string_view headsKey = keyThere(config, "n_head", "num_attention_heads");
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 50257),
                     .hiddenSize = sizeOr(config, keyThere(config, "n_embd", "hidden_size"), 768),
                     .layers = sizeOr(config, keyThere(config, "n_layer", "num_hidden_layers"), 12),
                     .heads = sizeOr(config, headsKey, 12),
                     .maxPositions =
                         sizeOr(config, keyThere(config, "n_positions", "max_position_embeddings"), 1024)};
    spec.keyValueHeads = spec.heads;
    spec.feedForwardSize = sizeOr(config, "n_inner", 4 * spec.hiddenSize);
    spec.activation = activation;
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    readDropoutOfGpt2(spec, config, warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

// Defaults of BloomConfig in transformers 5.23.0, models/bloom/configuration_bloom.py.
model::Architecture readHuggingFaceBloom(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config, {.suffixes = {"ForCausalLM"}, .alone = "BloomModel", .head = head}, warnings);
    const bool isSliced = config.integer("pretraining_tp").value_or(1) > 1;
    if (isSliced && config.boolean("slow_but_exact").value_or(false))
        refuse(config, "slow_but_exact", "products in slices");

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

namespace {

/// What a configuration class puts in the place of absent keys. In all of them hidden_size is 4096,
/// num_hidden_layers and num_attention_heads are 32, and the embeddings are not tied.
struct ConfigurationClass
{
    std::string_view type;
    /// The class of the network without a head.
    std::string_view alone;
    std::int64_t vocabularySize;
    std::int64_t feedForwardSize;
    /// 0 for as many as there are heads.
    std::int64_t keyValueHeads;
    std::int64_t maxPositions;
    double normalizationEpsilon = 1e-6;
    double ropeTheta = 10000.0;
    /// 0 for the hidden size divided by the number of heads.
    std::int64_t headSize = 0;
    /// Attention can be kept to a window; 0 for none where the key is absent.
    bool hasWindow = false;
    std::int64_t slidingWindow = 0;
};

// LlamaConfig, MistralConfig, MixtralConfig, Qwen2Config and Qwen3Config of transformers 5.23.0,
// models/*/configuration_*.py; rope_theta is default_theta there.
constexpr std::array<ConfigurationClass, 5> classes{
    {{"llama", "LlamaModel", 32000, 11008, 0, 2048},
     {"mistral", "MistralModel", 32000, 14336, 8, 131072, 1e-6, 1e4, 0, true, 4096},
     {"mixtral", "MixtralModel", 32000, 14336, 8, 131072, 1e-5, 1e6, 0, true},
     {"qwen2", "Qwen2Model", 151936, 22016, 32, 32768, 1e-6, 1e4, 0, true, 4096},
     {"qwen3", "Qwen3Model", 151936, 22016, 32, 32768, 1e-6, 1e4, 128, true, 4096}}};

bool isQwen(const ConfigurationClass& known)
{
    return known.type.starts_with("qwen");
}

model::Activation readGatedActivation(const ConfigSection& config)
{
    const std::string word = config.text("hidden_act").value_or("silu");
    const auto known = gatedActivationOf(word);
    if (!known)
        refuse(config, "hidden_act", sentence("the gated activation \"{}\"", word));
    return *known;
}

void refuseOtherLayers(const ConfigSection& config)
{
    for (const std::string& layer : config.words("layer_types").value_or(std::vector<std::string>())) {
        if (layer != "full_attention" && layer != "sliding_attention")
            refuse(config, "layer_types", sentence("layers of the type \"{}\"", layer));
    }
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

/// The base of rotary positions stands beside the other keys, or in a mapping of its own since transformers 5
/// (convert_rope_params_to_dict, modeling_rope_utils.py).
double ropeThetaOf(const ConfigSection& config, double otherwise)
{
    const double beside = positiveNumberOr(config, "rope_theta", otherwise);
    for (std::string_view key : {"rope_scaling", "rope_parameters"}) {
        const ConfigSection section = config.sectionIfAny(key);
        if (section.has("rope_theta"))
            return positiveNumberOr(section, "rope_theta", beside);
    }
    return beside;
}

/// Of Qwen the window is to be switched on, and first layers go without one: __post_init__ of Qwen2Config.
bool isWindowOn(const ConfigSection& config, const ConfigurationClass& known, std::int64_t layers)
{
    if (!isQwen(known))
        return known.hasWindow;
    const bool reachesLayers =
        config.has("layer_types") || config.integer("max_window_layers").value_or(28) < layers;
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
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", known.vocabularySize),
                     .hiddenSize = sizeOr(config, "hidden_size", 4096),
                     .layers = sizeOr(config, "num_hidden_layers", 32),
                     .heads = sizeOr(config, "num_attention_heads", 32),
                     .feedForwardSize = sizeOr(config, "intermediate_size", known.feedForwardSize),
                     .maxPositions = sizeOr(config, "max_position_embeddings", known.maxPositions)};
    spec.keyValueHeads = keyValueHeadsOf(config, known, spec.heads);
    spec.headSize = headSizeOf(config, known, spec);
    if (known.type == "mixtral") {
        spec.experts = sizeOr(config, keyThere(config, "num_local_experts", "num_experts"), 8);
        spec.expertsPerToken = sizeOr(config, "num_experts_per_tok", 2);
    }
    return spec;
}

/// Queries, keys and values of Qwen2 have biases whatever the file says, and those of Mistral and Mixtral
/// none (Qwen2Attention in modeling_qwen2.py, ...).
void readBiases(DecoderSpec& spec, const ConfigSection& config, const ConfigurationClass& known)
{
    const bool isLlama = known.type == "llama";
    const bool chooses = isLlama || known.type == "qwen3";
    const bool chosen = chooses && config.boolean("attention_bias").value_or(false);
    spec.attentionBias = chosen || known.type == "qwen2";
    spec.attentionOutputBias = chosen;
    spec.feedForwardBias = isLlama && config.boolean("mlp_bias").value_or(false);
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

} // namespace

model::Architecture readHuggingFaceRotaryDecoder(const ConfigSection& config, std::string_view type,
                                                 std::vector<Warning>& warnings)
{
    const ConfigurationClass& known = *std::ranges::find(classes, type, &ConfigurationClass::type);
    refuseOtherHead(config, {.suffixes = {"ForCausalLM"}, .alone = known.alone, .head = head}, warnings);
    const model::Activation activation = readGatedActivation(config);
    refuseOtherLayers(config);

    DecoderSpec spec = readSizes(config, known);
    spec.positionEmbedding = model::PositionEmbedding::Rotary;
    spec.normalization = model::Normalization::RmsNorm;
    spec.activation = activation;
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(false);
    spec.queryKeyNormalization = known.type == "qwen3";
    spec.normalizationEpsilon = positiveNumberOr(config, "rms_norm_eps", known.normalizationEpsilon);
    spec.ropeTheta = ropeThetaOf(config, known.ropeTheta);
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", 0.0);
    readBiases(spec, config, known);
    if (const auto window = windowOf(config, known, spec.layers))
        limitToWindow(spec, *window, config.positionOf("sliding_window"), warnings);
    checkRotarySoundness(spec, config);
    return spec;
}

} // namespace batchpeak::config
