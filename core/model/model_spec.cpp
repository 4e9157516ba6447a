// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_spec.h"

#include "word_table.h"

namespace batchpeak::model {

namespace {

constexpr WordTable<PositionEmbedding, 2> positionEmbeddings{
    {{PositionEmbedding::Learned, "learned"}, {PositionEmbedding::Rotary, "rotary"}}};
constexpr WordTable<Normalization, 2> normalizations{
    {{Normalization::LayerNorm, "layernorm"}, {Normalization::RmsNorm, "rmsnorm"}}};
constexpr WordTable<Activation, 3> activations{
    {{Activation::Gelu, "gelu"}, {Activation::GeluTanh, "gelu_tanh"}, {Activation::SwiGlu, "swiglu"}}};

} // namespace

std::optional<std::string> problemWith(const ModelSpec& spec)
{
    const std::pair<std::int64_t, const char*> sizes[] = {
        {spec.vocabularySize, "vocabulary size"},
        {spec.hiddenSize, "hidden size"},
        {spec.layers, "number of layers"},
        {spec.heads, "number of attention heads"},
        {spec.keyValueHeads, "number of key-value heads"},
        {spec.feedForwardSize, "feed-forward size"},
        {spec.maxPositions, "maximum sequence length"},
    };
    for (const auto& [size, name] : sizes) {
        if (size < 1)
            return "The " + std::string(name) + " is " + std::to_string(size) + ", but must be at least 1.";
    }
    if (spec.hiddenSize % spec.heads != 0) {
        return "The hidden size " + std::to_string(spec.hiddenSize) + " is not a multiple of the " +
               std::to_string(spec.heads) + " attention heads.";
    }
    if (spec.heads % spec.keyValueHeads != 0) {
        return "The " + std::to_string(spec.heads) + " attention heads are not a multiple of the " +
               std::to_string(spec.keyValueHeads) + " key-value heads.";
    }
    const std::int64_t headSize = spec.hiddenSize / spec.heads;
    if (spec.rotaryDimensions < 0 || spec.rotaryDimensions > headSize || spec.rotaryDimensions % 2 != 0) {
        return "The rotary dimension " + std::to_string(spec.rotaryDimensions) +
               " must be an even number of at most the head size, " + std::to_string(headSize) + ".";
    }
    for (double probability : {spec.dropout, spec.attentionDropout}) {
        if (!(probability >= 0 && probability < 1))
            return std::string("A dropout rate must be at least 0 and less than 1.");
    }
    return std::nullopt;
}

std::string_view toText(PositionEmbedding value)
{
    return wordFor(positionEmbeddings, value);
}

std::optional<PositionEmbedding> positionEmbeddingFromText(std::string_view text)
{
    return valueFor(positionEmbeddings, text);
}

std::string_view toText(Normalization value)
{
    return wordFor(normalizations, value);
}

std::optional<Normalization> normalizationFromText(std::string_view text)
{
    return valueFor(normalizations, text);
}

std::string_view toText(Activation value)
{
    return wordFor(activations, value);
}

std::optional<Activation> activationFromText(std::string_view text)
{
    return valueFor(activations, text);
}

} // namespace batchpeak::model
