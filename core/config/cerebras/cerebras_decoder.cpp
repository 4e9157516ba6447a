// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_readers.h"
#include "networks/network_readers.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <array>
#include <span>

namespace batchpeak::config {

using model::DecoderSpec;
using model::Normalization;
using model::PositionEmbedding;

namespace {

using enum UnmodeledFeature::When;

// Fields of GPT2LMHeadModelConfig and GPTJSubModelConfig in ModelZoo 2.10.0, models/nlp/gpt2/gpt2_model.py
// and models/nlp/gptj/gptj_model.py; selective_grad and alibi_trainable_slopes are from older releases.
constexpr std::array<UnmodeledFeature, 16> otherNetworks{
    {{"fixed_sparse_attention", "sparse attention"},
     {"attention_chunk_size", "banded attention"},
     {"attention_vertical_column_spacing", "banded attention"},
     {"use_sink_token", "attention sinks"},
     {"attention_qk_norm_layer", "normalized queries and keys"},
     {"cross_attention_layers", "cross attention"},
     {"num_extra_input_vocab_tokens", "extra input tokens"},
     {"extra_ffn_params", "a variant of the feed-forward layers"},
     {"dpo", "direct preference optimization"},
     {"selective_grad", "gradients of some parameters alone"},
     {"alibi_trainable_slopes", "ALiBi positions with slopes that are trained"},
     {"rel_distance_mode", "the relative distances \"{value}\"", NoneOf, "default"},
     {"attention_module", "the attention \"{value}\"", NoneOf, "aiayn_attention multiquery_attention"},
     {"position_embedding_type", "the position embedding \"{value}\"", NoneOf, "learned rotary alibi"},
     {"norm_type", "the normalization \"{value}\"", NoneOf, "layernorm rmsnorm"},
     // From GPT2LMHeadModelConfig in older releases.
     {"use_untied_layer_norm", "parallel branches"}}};

// The default is "learned": MoEConfig in ModelZoo 2.10.0, layers/FeedForwardNetwork.py.
constexpr std::array<UnmodeledFeature, 1> otherExperts{
    {{"routing_algorithm", "the routing \"{value}\"", NoneOf, "learned"}}};

/// Defaults of absent keys in one of the two decoders.
struct DecoderDefaults
{
    std::string_view positions = "learned";
    bool feedForwardBias = true;
    /// Key of the dropout rate on residual branches.
    std::string_view dropoutKey = "dropout_rate";
    /// Whether attention and feed-forward layers run in parallel.
    bool isParallel = false;
};

// Defaults of GPT2LMHeadModelConfig and GPTJSubModelConfig.
constexpr DecoderDefaults ofGpt2;
constexpr DecoderDefaults ofGptJ{.positions = "rotary",
                                 .feedForwardBias = false,
                                 .dropoutKey = "residual_dropout_rate",
                                 .isParallel = true};

void refuseOtherDecoder(const ConfigSection& model, const DecoderDefaults& defaults)
{
    const std::span<const UnmodeledFeature> others(otherNetworks);
    refuseOtherNetwork(model, defaults.isParallel ? others.first(others.size() - 1) : others);
    refuseOtherNetwork(model.sectionAt("moe"), otherExperts);
    if (model.sectionAt("memory_tokens").isOn("memory_tokens_enabled"))
        refuseNetwork(model, "memory_tokens", "memory tokens");
    if (model.isWrittenNull("position_embedding_type") ||
        !model.boolean("use_position_embedding").value_or(true))
        refuseNetwork(model, "position_embedding_type", "no position embedding");
}

PositionEmbedding positionEmbeddingOf(const std::string& word)
{
    if (word == "alibi")
        return PositionEmbedding::Alibi;
    return word == "rotary" ? PositionEmbedding::Rotary : PositionEmbedding::Learned;
}

Normalization normalizationOf(const std::string& word)
{
    return word == "rmsnorm" ? Normalization::RmsNorm : Normalization::LayerNorm;
}

/// Reads the key and the feed-forward layers of MoEConfig.
void readExperts(const ConfigSection& model, DecoderSpec& spec)
{
    const ConfigSection experts = model.sectionAt("moe");
    const std::int64_t count = sizeOrNone(experts, "num_experts", 0);
    const std::int64_t shared = sizeOrNone(experts, "num_shared_experts", 0);
    // A single expert is an ordinary feed-forward layer.
    if (count < 2 && shared > 0)
        refuseNetwork(experts, "num_shared_experts",
                      "experts that every token takes and no choice of others");
    if (count == 0 || count == 1)
        return;
    spec.experts = count;
    // Default in MoEConfig of ModelZoo 2.10.0, layers/FeedForwardNetwork.py.
    spec.expertsPerToken = experts.integer("top_k").value_or(1);
    // Each shared expert is as large as the others (layers/SparseMoEBlock.py); together they are one layer.
    spec.sharedExpertSize = checkedResult(experts, "num_shared_experts", shared * spec.feedForwardSize);
}

/// Reads settings of attention scores. Sink tokens are a part of the mask, and change only numbers.
void readScores(const ConfigSection& model, DecoderSpec& spec)
{
    constexpr std::string_view windowKey = "attention_sliding_window_length";
    if (model.isOn(windowKey)) {
        if (spec.positionEmbedding == PositionEmbedding::Alibi)
            refuseNetwork(model, windowKey, "ALiBi positions in a sliding window");
        spec.attentionWindow = requiredSize(model, windowKey);
        const bool isEveryOther = model.boolean("sliding_window_every_other_decoder_layer").value_or(false);
        for (std::int64_t layer = 0; isEveryOther && layer < spec.layers; layer += 2)
            spec.windowedLayers.push_back(layer);
    }
    if (model.isOn("attention_logit_softcapping"))
        spec.attentionSoftCap = positiveNumberOr(model, "attention_logit_softcapping", 0.0);
    if (model.isOn("final_logit_softcapping"))
        spec.logitSoftCap = positiveNumberOr(model, "final_logit_softcapping", 0.0);
}

/// Reads the width of all heads together, if it differs from that of the network.
void readHeadSize(const ConfigSection& model, DecoderSpec& spec)
{
    constexpr std::string_view key = "attention_inner_dim";
    const std::int64_t width = sizeOr(model, key, spec.hiddenSize);
    if (width == spec.hiddenSize)
        return;
    if (width % spec.heads != 0)
        model.fail(key, "is {}, no multiple of num_heads, which is {}", width, spec.heads);
    spec.headSize = width / spec.heads;
}

void readAttention(const ConfigSection& model, DecoderSpec& spec)
{
    spec.keyValueHeads = spec.heads;
    if (model.text("attention_module").value_or("") == "multiquery_attention") {
        // Default in MultiQueryAttention of ModelZoo 2.10.0, layers/MultiQueryAttentionLayer.py.
        spec.keyValueHeads = model.sectionAt("extra_attention_params").integer("num_kv_groups").value_or(1);
    }
    spec.attentionBias = model.boolean("use_projection_bias_in_attention").value_or(true);
    spec.attentionOutputBias = model.boolean("use_ffn_bias_in_attention").value_or(true);
    if (spec.positionEmbedding != PositionEmbedding::Rotary)
        return;
    spec.ropeTheta = positiveNumberOr(model, "rope_theta", 10000.0);
    // The default is a quarter of the head: post_init of GPT2LMHeadModelConfig.
    spec.rotaryDimensions = model.integer("rotary_dim").value_or(headSizeOf(spec) / 4);
    if (spec.rotaryDimensions < 1)
        model.fail("rotary_dim", "is {}, but must be at least 2", spec.rotaryDimensions);
}

void readDropout(const ConfigSection& model, const DecoderDefaults& defaults, DecoderSpec& spec,
                 std::vector<Warning>& warnings)
{
    spec.dropout = model.number(defaults.dropoutKey).value_or(0.1);
    // Null means the rate on residual branches; the default is 0.1: GPT2LMHeadModelConfig and its post_init.
    spec.attentionDropout = model.number("attention_dropout_rate")
                                .value_or(model.isWrittenNull("attention_dropout_rate") ? spec.dropout : 0.1);
    const auto embeddingDropout = model.number("embedding_dropout_rate");
    if (embeddingDropout && *embeddingDropout != spec.dropout) {
        warn(warnings, model.positionOf("embedding_dropout_rate"),
             "Trials drop embeddings at the rate of {}, not at this one; the difference in speed is small.",
             model.pathOf(defaults.dropoutKey));
    }
}

void checkSoundness(const ConfigSection& model, const DecoderDefaults& defaults, const DecoderSpec& spec)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    // The keys behind the conditions of problemWith(), in the same order: the first that fails is reported.
    const auto extra = model.section("extra_attention_params");
    const bool hasGroupProblem = spec.keyValueHeads < 1 || spec.heads % spec.keyValueHeads != 0;
    if (spec.headSize == 0 && spec.hiddenSize % spec.heads != 0)
        throw ConfigError(*problem, model.positionOf("num_heads"));
    if (hasGroupProblem && extra)
        throw ConfigError(*problem, extra->positionOf("num_kv_groups"));
    if (spec.rotaryDimensions > headSizeOf(spec) || spec.rotaryDimensions % 2 != 0)
        throw ConfigError(*problem, model.positionOf("rotary_dim"));
    if (!model::chooseableExperts(spec))
        throw ConfigError(*problem, model.positionOf("moe"));
    const bool isResidual = !(spec.dropout >= 0 && spec.dropout < 1);
    throw ConfigError(*problem,
                      model.positionOf(isResidual ? defaults.dropoutKey : "attention_dropout_rate"));
}

model::Activation readDecoderActivation(const ConfigSection& model, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "nonlinearity";
    if (model.text(key) == "geglu") {
        warn(
            warnings, model.positionOf(key),
            "The network gates by GELU with the error function, trials by its approximation with tanh, which "
            "costs the same.");
        return model::Activation::GeGlu;
    }
    return readCerebrasActivation(model, key, "gelu gelu_new gelu_fast swiglu");
}

// The five sizes are required: every release up to 2.1.1 requires them, and a config that omits one hardly
// means a network of the defaults of later releases. All other absent keys take the defaults of the two
// classes in ModelZoo 2.10.0.
DecoderSpec readDecoder(const ConfigSection& model, const DecoderDefaults& defaults,
                        std::vector<Warning>& warnings)
{
    refuseOtherDecoder(model, defaults);
    const model::Activation activation = readDecoderActivation(model, warnings);
    DecoderSpec spec{.vocabularySize = requiredSize(model, "vocab_size"),
                     .hiddenSize = requiredSize(model, "hidden_size"),
                     .layers = requiredSize(model, "num_hidden_layers"),
                     .heads = requiredSize(model, "num_heads"),
                     .feedForwardSize = requiredSize(model, "filter_size"),
                     .maxPositions = sizeOr(model, "max_position_embeddings", 1024)};
    spec.positionEmbedding =
        positionEmbeddingOf(model.text("position_embedding_type").value_or(std::string(defaults.positions)));
    spec.normalization = normalizationOf(model.text("norm_type").value_or("layernorm"));
    spec.activation = activation;
    spec.tiedEmbeddings = model.boolean("share_embedding_weights").value_or(true);
    spec.feedForwardBias = model.boolean("use_ffn_bias").value_or(defaults.feedForwardBias);
    spec.outputBias = model.boolean("use_bias_in_output").value_or(false);
    spec.normalizationEpsilon = positiveNumberOr(model, "layer_norm_epsilon", 1e-5);
    // Default in GPT2LMHeadModelConfig.
    spec.embeddingNormalization = model.boolean("embedding_layer_norm").value_or(false);
    spec.branchOutputNormalization = model.boolean("norm_first_sandwich").value_or(false);
    if (defaults.isParallel) {
        const bool hasNorms = model.boolean("use_untied_layer_norm").value_or(false);
        spec.branches = hasNorms ? model::Branches::ParallelNorms : model::Branches::Parallel;
    }
    readHeadSize(model, spec);
    readExperts(model, spec);
    readAttention(model, spec);
    readScores(model, spec);
    readDropout(model, defaults, spec, warnings);
    checkSoundness(model, defaults, spec);
    return spec;
}

} // namespace

DecoderSpec readCerebrasDecoder(const ConfigSection& model, std::vector<Warning>& warnings)
{
    return readDecoder(model, ofGpt2, warnings);
}

DecoderSpec readCerebrasParallelDecoder(const ConfigSection& model, std::vector<Warning>& warnings)
{
    return readDecoder(model, ofGptJ, warnings);
}

model::Activation readCerebrasActivation(const ConfigSection& model, std::string_view key,
                                         std::string_view words)
{
    // "gelu" is torch's, with the error function; gelu_new and gelu_fast are the tanh approximation (ModelZoo
    // 2.10.0, layers/activations.py).
    constexpr WordMap<model::Activation, 5> activations{{{"gelu", model::Activation::Gelu},
                                                         {"gelu_new", model::Activation::GeluTanh},
                                                         {"gelu_fast", model::Activation::GeluTanh},
                                                         {"swiglu", model::Activation::SwiGlu},
                                                         {"relu", model::Activation::Relu}}};
    const std::string word = model.text(key).value_or(std::string(splitWords(words).front()));
    if (!isAmong(word, words))
        refuseNetwork(model, key, sentence("the activation \"{}\"", word));
    return *meaningOf(activations, word);
}

} // namespace batchpeak::config
