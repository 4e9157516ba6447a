// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "layer_kind.h"

#include "word_table.h"

namespace batchpeak::model {

namespace {

constexpr WordTable<PositionEmbedding, 3> positionEmbeddings{{{PositionEmbedding::Learned, "learned"},
                                                              {PositionEmbedding::Rotary, "rotary"},
                                                              {PositionEmbedding::Alibi, "alibi"}}};
constexpr WordTable<Normalization, 2> normalizations{
    {{Normalization::LayerNorm, "layernorm"}, {Normalization::RmsNorm, "rmsnorm"}}};
constexpr WordTable<Activation, 5> activations{{{Activation::Gelu, "gelu"},
                                                {Activation::GeluTanh, "gelu_tanh"},
                                                {Activation::Relu, "relu"},
                                                {Activation::SwiGlu, "swiglu"},
                                                {Activation::GeGlu, "geglu"}}};

} // namespace

bool isGated(Activation value)
{
    return value == Activation::SwiGlu || value == Activation::GeGlu;
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
