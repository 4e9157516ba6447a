// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_networks.h"
#include "network_readers.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

using model::Activation;
using model::EncoderDecoderSpec;
using model::EncoderSpec;
using model::VisionTransformerSpec;

namespace {

struct Heads
{
    std::string_view className;
    bool pooler;
    bool maskedLanguage;
    bool nextSentence;
};

// Classes in transformers 5.23.0, models/bert/modeling_bert.py. A classifier is a dense layer on the pooled
// token, like the next-sentence head.
constexpr std::array<Heads, 4> knownHeads{{{"BertForMaskedLM", false, true, false},
                                           {"BertForPreTraining", true, true, true},
                                           {"BertForNextSentencePrediction", true, false, true},
                                           {"BertForSequenceClassification", true, false, true}}};

const Heads& knownHeadsOf(const ConfigSection& config, const std::string& className)
{
    const auto known = std::ranges::find(knownHeads, className, &Heads::className);
    if (known == knownHeads.end())
        refuse(config, "architectures", "the heads of " + className);
    return *known;
}

void refuseOtherParts(const ConfigSection& config)
{
    if (config.boolean("is_decoder").value_or(false))
        refuse(config, "is_decoder", "attention to earlier tokens alone");
    // BertConfig has this key up to transformers 4.
    const std::string position = config.text("position_embedding_type").value_or("absolute");
    if (position != "absolute")
        refuse(config, "position_embedding_type", sentence("positions of the type \"{}\"", position));
}

/// Returns the class whose heads run; BertForMaskedLM if the file names no head.
std::string readClass(const ConfigSection& config, std::vector<Warning>& warnings)
{
    std::string name = classOf(config).value_or("BertModel");
    if (name != "BertModel")
        return name;
    warn(warnings, config.positionOf("architectures"),
         "The network names no head (architectures); trials run it with the masked-language head, as "
         "BertForMaskedLM.");
    return "BertForMaskedLM";
}

} // namespace

namespace {

/// Returns the number of classes. BertForSequenceClassification in modeling_bert.py uses regression for one
/// class, and another loss for several labels per sample.
std::int64_t readClasses(const ConfigSection& config)
{
    constexpr std::string_view problemKey = "problem_type";
    const std::int64_t labels = labelsOf(config);
    if (labels < 2)
        refuse(config, labelsKey(config), "a regression in place of classes");
    const std::string problem = config.text(problemKey).value_or("single_label_classification");
    if (problem != "single_label_classification")
        refuse(config, problemKey, sentence("a head for the problem \"{}\"", problem));
    return labels;
}

} // namespace

// Defaults of BertConfig in transformers 5.23.0, models/bert/configuration_bert.py.
model::Architecture readHuggingFaceEncoder(const ConfigSection& config, std::vector<Warning>& warnings)
{
    const Heads& heads = knownHeadsOf(config, readClass(config, warnings));
    refuseOtherParts(config);
    const Activation activation = readPlainActivation(config, "hidden_act", "gelu");

    EncoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 30522),
                     .hiddenSize = sizeOr(config, "hidden_size", 768),
                     .layers = sizeOr(config, "num_hidden_layers", 12),
                     .heads = sizeOr(config, "num_attention_heads", 12),
                     .feedForwardSize = sizeOr(config, "intermediate_size", 3072),
                     .maxPositions = sizeOr(config, "max_position_embeddings", 512),
                     .tokenTypes = sizeOr(config, "type_vocab_size", 2)};
    spec.activation = activation;
    spec.pooler = heads.pooler;
    spec.maskedLanguageHead = heads.maskedLanguage;
    spec.nextSentenceHead = heads.nextSentence;
    if (heads.className == "BertForSequenceClassification")
        spec.sentenceClasses = readClasses(config);
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_eps", 1e-12);
    spec.dropout = dropoutRateOr(config, "hidden_dropout_prob", 0.1);
    spec.attentionDropout = dropoutRateOr(config, "attention_probs_dropout_prob", 0.1);
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("num_attention_heads"));
    return spec;
}

namespace {

/// Returns the activation function for a word. "gated-gelu" uses the tanh approximation in its gate; the
/// other words are those of activations, with or without a gate (T5Config.__post_init__ in transformers
/// 5.23.0, models/t5/configuration_t5.py).
std::optional<Activation> activationOfProjection(std::string_view word)
{
    constexpr std::string_view gated = "gated-";
    if (word == "gated-gelu")
        return Activation::GeGluNew;
    if (word.starts_with(gated))
        return gatedActivationOf(word.substr(gated.size()));
    return plainActivationOf(word);
}

} // namespace

// Defaults of T5Config in transformers 5.23.0, models/t5/configuration_t5.py.
model::Architecture readHuggingFaceEncoderDecoder(const ConfigSection& config, std::vector<Warning>& warnings)
{
    // T5WithLMHeadModel is its name in transformers before 3.0.
    refuseOtherHead(config, {.suffixes = {"ForConditionalGeneration", "WithLMHeadModel"}, .alone = "T5Model"},
                    warnings);
    const std::string projection = config.text("feed_forward_proj").value_or("relu");
    const auto activation = activationOfProjection(projection);
    if (!activation)
        refuse(config, "feed_forward_proj", sentence("the feed-forward layers \"{}\"", projection));

    EncoderDecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 32128),
                            .hiddenSize = sizeOr(config, keyThere(config, "d_model", "hidden_size"), 512),
                            .encoderLayers =
                                sizeOr(config, keyThere(config, "num_layers", "num_hidden_layers"), 6),
                            .heads = sizeOr(config, keyThere(config, "num_heads", "num_attention_heads"), 8),
                            .headSize = sizeOr(config, keyThere(config, "d_kv", "head_dim"), 64),
                            .feedForwardSize = sizeOr(config, "d_ff", 2048),
                            .relativeBuckets = sizeOr(config, "relative_attention_num_buckets", 32),
                            .maxRelativeDistance = sizeOr(config, "relative_attention_max_distance", 128),
                            .activation = *activation,
                            .tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true),
                            .normalizationEpsilon = positiveNumberOr(config, "layer_norm_epsilon", 1e-6),
                            .dropout = dropoutRateOr(config, "dropout_rate", 0.1)};
    // The default is num_layers, whatever its other name is set to: T5Config.__post_init__.
    spec.decoderLayers = sizeOr(config, "num_decoder_layers", sizeOr(config, "num_layers", 6));
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("relative_attention_num_buckets"));
    return spec;
}

namespace {

/// Returns one side of an image if height and width are equal, or written as one number.
/// \throws NotRun if height and width differ
std::int64_t squareOr(const ConfigSection& config, std::string_view key, std::int64_t otherwise,
                      const char* notSquare)
{
    const YamlNode* value = config.value(key);
    if (!value || value->kind != NodeKind::Sequence)
        return sizeOr(config, key, otherwise);
    const auto sides = config.integers(key);
    if (sides->size() != 2)
        config.fail(key, "must be one side, as in 224, or a height and a width, as in [224, 224]");
    if (sides->front() != sides->back())
        refuse(config, key, notSquare);
    return checkedSize(config, key, sides->front());
}

void checkSoundness(const VisionTransformerSpec& spec, const ConfigSection& config)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    const bool isCut = spec.imageSize % spec.patchSize != 0;
    throw ConfigError(*problem, config.positionOf(isCut ? "patch_size" : "num_attention_heads"));
}

} // namespace

// Defaults of ViTConfig in transformers 5.23.0, models/vit/configuration_vit.py.
model::Architecture readHuggingFaceVisionTransformer(const ConfigSection& config,
                                                     std::vector<Warning>& warnings)
{
    const std::int64_t classes = labelsOf(config);
    refuseOtherHead(config,
                    {.suffixes = {"ForImageClassification"},
                     .alone = "ViTModel",
                     .head = sentence("a classifier of {} classes", classes)},
                    warnings);
    const Activation activation = readPlainActivation(config, "hidden_act", "gelu");
    const std::int64_t imageSize = squareOr(config, "image_size", 224, "images that are not square");
    const std::int64_t patchSize = squareOr(config, "patch_size", 16, "patches that are not square");

    const VisionTransformerSpec spec{
        .imageSize = imageSize,
        .channels = sizeOr(config, "num_channels", 3),
        .patchSize = patchSize,
        .hiddenSize = sizeOr(config, "hidden_size", 768),
        .layers = sizeOr(config, "num_hidden_layers", 12),
        .heads = sizeOr(config, "num_attention_heads", 12),
        .feedForwardSize = sizeOr(config, "intermediate_size", 3072),
        .classes = classes,
        .activation = activation,
        .attentionBias = config.boolean("qkv_bias").value_or(true),
        .normalizationEpsilon = positiveNumberOr(config, "layer_norm_eps", 1e-12),
        .dropout = dropoutRateOr(config, "hidden_dropout_prob", 0.0),
        .attentionDropout = dropoutRateOr(config, "attention_probs_dropout_prob", 0.0)};
    checkSoundness(spec, config);
    return spec;
}

} // namespace batchpeak::config
