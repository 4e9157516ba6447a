// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_readers.h"
#include "networks/network_readers.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <array>

namespace batchpeak::config {

using model::Activation;
using model::EncoderDecoderSpec;
using model::EncoderSpec;
using model::Normalization;
using model::PositionEmbedding;
using model::VisionTransformerSpec;

namespace {

using enum UnmodeledFeature::When;

// Fields of BertModelConfig, BertForPreTrainingModelConfig and Esm2ModelConfig in ModelZoo 2.10.0,
// models/nlp/bert/{bert_model,bert_pretrain_models}.py and models/nlp/esm2/esm2_model.py.
constexpr std::array<UnmodeledFeature, 7> otherEncoders{
    {{"use_projection_bias_in_attention", "queries, keys and values without biases", False},
     {"use_ffn_bias_in_attention", "attention outputs without biases", False},
     {"use_ffn_bias", "feed-forward layers without biases", False},
     {"use_ffn_bias_in_mlm", "a masked-language head without biases", False},
     {"use_output_bias_in_mlm", "a masked-language head without biases", False},
     {"attention_module", "the attention \"{value}\"", NoneOf, "aiayn_attention"},
     {"position_embedding_type", "the position embedding \"{value}\"", NoneOf, "learned rotary"}}};

void refuseOtherEncoder(const ConfigSection& model)
{
    refuseOtherNetwork(model, otherEncoders);
    const auto classes = model.integer("num_classes").value_or(2);
    if (classes != 2)
        refuseNetwork(model, "num_classes", sentence("a classifier of {} classes", classes));
    if (model.isWrittenNull("position_embedding_type"))
        refuseNetwork(model, "position_embedding_type", "no position embedding");
}

void readPositions(const ConfigSection& model, EncoderSpec& spec)
{
    if (model.text("position_embedding_type").value_or("learned") != "rotary")
        return;
    spec.positionEmbedding = PositionEmbedding::Rotary;
    spec.ropeTheta = positiveNumberOr(model, "rope_theta", 10000.0);
    // The default is a quarter of the head: post_init of BertModelConfig.
    spec.rotaryDimensions = model.integer("rotary_dim").value_or(spec.hiddenSize / spec.heads / 4);
    if (spec.rotaryDimensions < 1)
        model.fail("rotary_dim", "is {}, but must be at least 2", spec.rotaryDimensions);
}

void checkSoundness(const ConfigSection& model, const EncoderSpec& spec)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    // The keys behind the conditions of problemWith(), in the same order: the first that fails is reported.
    std::string_view key = "mask_token_id";
    if (spec.hiddenSize % spec.heads != 0)
        key = "num_heads";
    else if (spec.rotaryDimensions > spec.hiddenSize / spec.heads || spec.rotaryDimensions % 2 != 0)
        key = "rotary_dim";
    throw ConfigError(*problem, model.positionOf(key));
}

} // namespace

namespace {

/// \param predictsNextSentence  whether the encoder has the head on the first token, and segments
EncoderSpec readEncoder(const ConfigSection& model, std::string_view family, bool predictsNextSentence)
{
    refuseOtherEncoder(model);
    const Activation activation =
        readCerebrasActivation(model, "encoder_nonlinearity", "gelu gelu_new gelu_fast relu");
    const bool isEsm = family == "esm2";
    EncoderSpec spec{.vocabularySize = requiredSize(model, "vocab_size"),
                     .hiddenSize = requiredSize(model, "hidden_size"),
                     .layers = requiredSize(model, "num_hidden_layers"),
                     .heads = requiredSize(model, "num_heads"),
                     .feedForwardSize = requiredSize(model, "filter_size"),
                     .maxPositions = requiredSize(model, "max_position_embeddings")};
    spec.tokenTypes = sizeOrNone(model, "num_segments", predictsNextSentence ? 2 : 0);
    spec.activation = activation;
    spec.normalizesFirst = model.boolean("norm_first").value_or(isEsm);
    spec.embeddingNormalization = model.boolean("embedding_layer_norm").value_or(true);
    spec.finalNormalization = model.boolean("use_final_layer_norm").value_or(false);
    spec.pooler = spec.nextSentenceHead = predictsNextSentence;
    spec.tiedEmbeddings = model.boolean("share_embedding_weights").value_or(true);
    spec.tokenDropout = isEsm && model.boolean("token_dropout").value_or(false);
    spec.maskToken = model.integer("mask_token_id").value_or(0);
    spec.normalizationEpsilon = positiveNumberOr(model, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(model, "dropout_rate", 0.1);
    spec.attentionDropout = dropoutRateOr(model, "attention_dropout_rate", spec.dropout);
    readPositions(model, spec);
    checkSoundness(model, spec);
    return spec;
}

} // namespace

// The sizes are required, as in a decoder. All other absent keys take the defaults of ModelZoo 2.10.0.
EncoderSpec readCerebrasEncoder(const ConfigSection& model, std::string_view family)
{
    return readEncoder(model, family, !model.boolean("disable_nsp").value_or(false));
}

EncoderSpec readCerebrasClassifier(const ConfigSection& model)
{
    constexpr std::string_view problemKey = "problem_type";
    const std::string problem = model.text(problemKey).value_or("");
    if (problem != "single_label_classification")
        refuseNetwork(model, problemKey, sentence("a head for the problem \"{}\"", problem));
    EncoderSpec spec = readEncoder(model, "bert", true);
    spec.maskedLanguageHead = false;
    spec.sentenceClasses = requiredSize(model, "num_labels");
    if (spec.sentenceClasses < 2)
        refuseNetwork(model, "num_labels", "a regression in place of classes");
    return spec;
}

namespace {

// Fields of T5ForConditionalGenerationModelConfig in ModelZoo 2.10.0, models/nlp/t5/t5_model.py, with
// their defaults.
constexpr std::array<UnmodeledFeature, 7> otherEncoderDecoders{
    {{"use_projection_bias_in_attention", "biases of queries, keys and values", True},
     {"use_ffn_bias", "biases of feed-forward layers", True},
     {"use_pre_encoder_decoder_layer_norm", "normalization after the branches", False},
     {"share_encoder_decoder_embedding", "embeddings of its own in the decoder", False},
     {"attention_module", "the attention \"{value}\"", NoneOf, "aiayn_attention"},
     {"norm_type", "the normalization \"{value}\"", NoneOf, "rmsnorm layernorm"},
     {"position_embedding_type", "positions that are not relative", NoneOf, "relative"}}};

void refuseOtherEncoderDecoder(const ConfigSection& model)
{
    refuseOtherNetwork(model, otherEncoderDecoders);
    const auto targets = model.integer("tgt_vocab_size");
    if (targets && targets != model.integer("src_vocab_size"))
        refuseNetwork(model, "tgt_vocab_size", "another vocabulary in the decoder");
    if (model.isWrittenNull("position_embedding_type"))
        refuseNetwork(model, "position_embedding_type", "positions that are not relative");
}

} // namespace

// The sizes are required, as in a decoder. All other absent keys take the defaults of ModelZoo 2.10.0.
EncoderDecoderSpec readCerebrasEncoderDecoder(const ConfigSection& model)
{
    refuseOtherEncoderDecoder(model);
    // The decoder's activation is read but not used: T5ForConditionalGeneration creates its layers with the
    // encoder's. geglu is not among the words: its gate uses the error function, while T5 1.1 and trials use
    // the tanh approximation (ModelZoo 2.10.0, layers/activations.py).
    const Activation activation =
        readCerebrasActivation(model, "encoder_nonlinearity", "relu gelu gelu_new gelu_fast swiglu");
    EncoderDecoderSpec spec{.vocabularySize =
                                requiredSize(model, "src_vocab_size") + sizeOrNone(model, "extra_ids", 0),
                            .hiddenSize = requiredSize(model, "d_model"),
                            .encoderLayers = requiredSize(model, "encoder_num_hidden_layers"),
                            .heads = requiredSize(model, "num_heads"),
                            .headSize = requiredSize(model, "d_kv"),
                            .feedForwardSize = requiredSize(model, "d_ff")};
    spec.decoderLayers = sizeOr(model, "decoder_num_hidden_layers", spec.encoderLayers);
    spec.relativeBuckets = sizeOr(model, "relative_attention_num_buckets", spec.relativeBuckets);
    spec.normalization = model.text("norm_type").value_or("rmsnorm") == "rmsnorm" ? Normalization::RmsNorm
                                                                                  : Normalization::LayerNorm;
    spec.activation = activation;
    spec.tiedEmbeddings = model.boolean("share_embedding_weights").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(model, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(model, "dropout_rate", 0.1);
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, model.positionOf("relative_attention_num_buckets"));
    return spec;
}

namespace {

// Defaults of ViTModelConfig and ViTClassificationModelConfig in ModelZoo 2.10.0,
// models/vision/vision_transformer.
constexpr std::array<UnmodeledFeature, 15> otherVisionTransformers{
    {{"norm_first", "normalization after each branch", False},
     {"prepend_cls_token", "no class token", False},
     {"use_encoder_pooler_layer", "a pooler layer", True},
     {"use_post_embed_layer_norm", "a normalization of the embeddings", True},
     {"use_final_layer_norm", "no normalization after the last layer", False},
     {"use_embed_proj_bias", "an embedding of patches without bias", False},
     {"use_ffn_bias", "feed-forward layers without bias", False},
     {"use_ffn_bias_in_attention", "attention outputs without bias", False},
     {"use_bias_in_output", "a classifier without bias", False},
     {"use_dinov2_classifier", "a classifier of all patches", True},
     {"layerscale_value", "scaled branches"},
     {"stochastic_depth_drop_prob", "branches that are left out at random"},
     {"freeze", "frozen parameters"},
     {"position_embedding_type", "positions that are not learned", NoneOf, "learned"},
     {"attention_module", "the attention \"{value}\"", NoneOf, "aiayn_attention"}}};

/// Returns a height and a width that must be equal.
/// \param otherwise  value if the key is absent
/// \throws NotRun if they differ
std::int64_t readSquare(const ConfigSection& model, std::string_view key, std::int64_t otherwise,
                        const char* notSquare)
{
    const auto sides = model.integers(key);
    if (!sides)
        return otherwise;
    if (sides->size() != 2 || sides->front() < 1 || sides->back() < 1)
        model.fail(key, "must be a height and a width, as in [224, 224]");
    if (sides->front() != sides->back())
        refuseNetwork(model, key, notSquare);
    return checkedSize(model, key, sides->front());
}

void warnOfEmbeddingDropout(const ConfigSection& model, double dropout, std::vector<Warning>& warnings)
{
    if (model.number("embedding_dropout_rate").value_or(0.0) == dropout)
        return;
    warn(warnings, model.positionOf("embedding_dropout_rate"),
         "Trials drop embeddings at the rate of {}, not at the one of embedding_dropout_rate; the difference "
         "in speed is small.",
         model.pathOf("dropout_rate"));
}

} // namespace

VisionTransformerSpec readCerebrasVisionTransformer(const ConfigSection& model,
                                                    std::vector<Warning>& warnings)
{
    refuseOtherNetwork(model, otherVisionTransformers);
    if (model.isWrittenNull("position_embedding_type"))
        refuseNetwork(model, "position_embedding_type", "positions that are not learned");
    const Activation activation = readCerebrasActivation(model, "nonlinearity", "gelu gelu_new gelu_fast");
    const std::int64_t imageSize = readSquare(model, "image_size", 224, "images that are not square");
    const std::int64_t patchSize = readSquare(model, "patch_size", 16, "patches that are not square");

    VisionTransformerSpec spec{.imageSize = imageSize,
                               .channels = sizeOr(model, "num_channels", 3),
                               .patchSize = patchSize,
                               .hiddenSize = requiredSize(model, "hidden_size"),
                               .layers = requiredSize(model, "num_hidden_layers"),
                               .heads = requiredSize(model, "num_heads"),
                               .feedForwardSize = requiredSize(model, "filter_size"),
                               .classes = sizeOr(model, "num_classes", 2)};
    spec.activation = activation;
    spec.attentionBias = model.boolean("use_projection_bias_in_attention").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(model, "layer_norm_epsilon", 1e-5);
    spec.dropout = dropoutRateOr(model, "dropout_rate", 0.1);
    spec.attentionDropout = dropoutRateOr(model, "attention_dropout_rate", 0.1);
    warnOfEmbeddingDropout(model, spec.dropout, warnings);
    if (const auto problem = problemWith(spec)) {
        const bool ofImage = spec.imageSize % spec.patchSize != 0;
        throw ConfigError(*problem, model.positionOf(ofImage ? "image_size" : "num_heads"));
    }
    return spec;
}

} // namespace batchpeak::config
