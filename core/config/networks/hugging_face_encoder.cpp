// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hugging_face_encoder.h"

#include "section_sizes.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

using model::EncoderSpec;

namespace {

struct Heads
{
    std::string_view className;
    bool pooler;
    bool maskedLanguage;
    bool nextSentence;
};

// Of transformers 5.23.0, models/bert/modeling_bert.py. A classifier is a dense layer on the pooled token, as
// the next-sentence head is.
constexpr std::array<Heads, 4> knownHeads{{{"BertForMaskedLM", false, true, false},
                                           {"BertForPreTraining", true, true, true},
                                           {"BertForNextSentencePrediction", true, false, true},
                                           {"BertForSequenceClassification", true, false, true}}};

std::optional<UnsupportedModel> unsupportedHead(const ConfigSection& config, const std::string& className)
{
    if (std::ranges::find(knownHeads, className, &Heads::className) == knownHeads.end())
        return networkWith(config, "architectures", "the heads of " + className);
    const std::int64_t labels = labelsOf(config);
    if (className == "BertForSequenceClassification" && labels != 2)
        return networkWith(config, labelsKey(config),
                           "a classifier of " + std::to_string(labels) + " classes");
    return std::nullopt;
}

std::optional<UnsupportedModel> unsupportedPart(const ConfigSection& config)
{
    if (config.boolean("is_decoder").value_or(false))
        return networkWith(config, "is_decoder", "attention to earlier tokens alone");
    // A key of BertConfig up to transformers 4.
    const std::string position = config.text("position_embedding_type").value_or("absolute");
    if (position != "absolute")
        return networkWith(config, "position_embedding_type", "positions of the type \"" + position + "\"");
    const std::string activation = config.text("hidden_act").value_or("gelu");
    if (!plainActivationOf(activation))
        return networkWith(config, "hidden_act", "the activation \"" + activation + "\"");
    return std::nullopt;
}

/// The class of heads to run; that of the masked language model where the file names none.
std::string readClass(const ConfigSection& config, std::vector<Warning>& warnings)
{
    const std::string name = classOf(config).value_or("BertModel");
    if (name != "BertModel")
        return name;
    warnings.push_back({"The network names no head (architectures), and there is nothing that it could learn "
                        "without one; trials run it "
                        "with the masked-language head, as BertForMaskedLM has it.",
                        config.positionOf("architectures")});
    return "BertForMaskedLM";
}

} // namespace

// Defaults of BertConfig in transformers 5.23.0, models/bert/configuration_bert.py.
HuggingFaceNetwork readHuggingFaceEncoder(const ConfigSection& config, std::vector<Warning>& warnings)
{
    const std::string className = readClass(config, warnings);
    if (const auto unsupported = unsupportedHead(config, className))
        return *unsupported;
    if (const auto unsupported = unsupportedPart(config))
        return *unsupported;

    const Heads& heads = *std::ranges::find(knownHeads, className, &Heads::className);
    EncoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", 30522),
                     .hiddenSize = sizeOr(config, "hidden_size", 768),
                     .layers = sizeOr(config, "num_hidden_layers", 12),
                     .heads = sizeOr(config, "num_attention_heads", 12),
                     .feedForwardSize = sizeOr(config, "intermediate_size", 3072),
                     .maxPositions = sizeOr(config, "max_position_embeddings", 512),
                     .tokenTypes = sizeOr(config, "type_vocab_size", 2)};
    spec.activation = *plainActivationOf(config.text("hidden_act").value_or("gelu"));
    spec.pooler = heads.pooler;
    spec.maskedLanguageHead = heads.maskedLanguage;
    spec.nextSentenceHead = heads.nextSentence;
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(true);
    spec.normalizationEpsilon = positiveNumberOr(config, "layer_norm_eps", 1e-12);
    spec.dropout = dropoutRateOr(config, "hidden_dropout_prob", 0.1);
    spec.attentionDropout = dropoutRateOr(config, "attention_probs_dropout_prob", 0.1);
    if (const auto problem = model::problemWith(spec))
        throw ConfigError(*problem, config.positionOf("num_attention_heads"));
    return spec;
}

} // namespace batchpeak::config
