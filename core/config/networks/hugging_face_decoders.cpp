// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "hugging_face_networks.h"
#include "network_readers.h"

#include <string>
#include <utility>
#include <vector>

namespace batchpeak::config {

using model::Branches;
using model::DecoderSpec;

namespace {

/// Warns if embeddings are dropped at another rate: the classes have three rates, ours has two.
void warnOfEmbeddingDropout(const DecoderSpec& spec, const ConfigSection& config,
                            std::string_view residualKey, std::string_view embeddingKey, double otherwise,
                            std::vector<Warning>& warnings)
{
    if (dropoutRateOr(config, embeddingKey, otherwise) != spec.dropout) {
        warn(warnings, config.positionOf(embeddingKey),
             "Trials drop embeddings at the rate of {}, not at this one; the difference in speed is small.",
             config.pathOf(residualKey));
    }
}

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
    warnOfEmbeddingDropout(spec, config, "resid_pdrop", "embd_pdrop", 0.1, warnings);
}

} // namespace

// Defaults of GPT2Config in transformers 5.23.0, models/gpt2/configuration_gpt2.py.
model::Architecture readHuggingFaceGpt2(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config, {.suffixes = {"LMHeadModel", "ForCausalLM"}, .alone = "GPT2Model"}, warnings);
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
    refuseOtherHead(config, {.alone = "BloomModel"}, warnings);
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
    refuseOtherHead(config, {.alone = "GPTBigCodeModel"}, warnings);
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

// Defaults of GPTJConfig in transformers 5.23.0, models/gptj/configuration_gptj.py. Biases and branches are
// those of GPTJAttention, GPTJMLP, GPTJBlock and GPTJForCausalLM in modeling_gptj.py.
model::Architecture readHuggingFaceGptJ(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config, {.alone = "GPTJModel"}, warnings);
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
                     .branches = Branches::Parallel};
    spec.keyValueHeads = spec.heads;
    spec.feedForwardSize = sizeOr(config, "n_inner", 4 * spec.hiddenSize);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-5);
    spec.rotaryDimensions = config.isWrittenNull("rotary_dim") ? 0 : sizeOr(config, "rotary_dim", 64);
    spec.attentionDropout = dropoutRateOr(config, "attn_pdrop", 0.0);
    spec.dropout = dropoutRateOr(config, "resid_pdrop", 0.0);
    warnOfEmbeddingDropout(spec, config, "resid_pdrop", "embd_pdrop", 0.0, warnings);
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
    refuseOtherHead(config, {.alone = "GPTNeoModel"}, warnings);
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
    spec.dropout = dropoutRateOr(config, "resid_dropout", 0.0);
    warnOfEmbeddingDropout(spec, config, "resid_dropout", "embed_dropout", 0.0, warnings);
    checkSoundness(spec, config, headsKey);
    return spec;
}

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
    refuseOtherHead(config, {.alone = "FalconModel"}, warnings);
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
    checkSoundness(spec, config, "num_attention_heads");
    return spec;
}

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
    refuseOtherHead(config, {.alone = "OPTModel"}, warnings);
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
    checkSoundness(spec, config, "num_attention_heads");
    return spec;
}

// The first Qwen, whose network is custom code on the hub: defaults of QWenConfig in configuration_qwen.py of
// Qwen/Qwen-7B. In its modeling_qwen.py each of the two matrices before the activation in QWenMLP has half of
// intermediate_size, and c_attn of QWenAttention has biases whatever no_bias says.
model::Architecture readHuggingFaceQwen(const ConfigSection& config, std::vector<Warning>& warnings)
{
    refuseOtherHead(config, {.suffixes = {"LMHeadModel"}, .alone = "QWenModel"}, warnings);
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
    checkSoundness(spec, config, "num_attention_heads");
    return spec;
}

} // namespace batchpeak::config
