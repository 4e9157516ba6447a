// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "word_table.h"

namespace batchpeak::model {

/// How a transformer knows where a token stands. ALiBi lowers attention in proportion to distance
/// (arXiv 2108.12409), and learns nothing.
enum class PositionEmbedding { Learned, Rotary, Alibi };
enum class Normalization { LayerNorm, RmsNorm };
/// Of feed-forward layers. SwiGlu and GeGlu are gated: two products of the input, one of them activated,
/// are multiplied (arXiv 2002.05202); GeGlu activates by the tanh approximation, as T5 1.1 does.
enum class Activation { Gelu, GeluTanh, Relu, SwiGlu, GeGlu };

constexpr WordTable<PositionEmbedding, 3> wordsOf(PositionEmbedding)
{
    return {{{PositionEmbedding::Learned, "learned"},
             {PositionEmbedding::Rotary, "rotary"},
             {PositionEmbedding::Alibi, "alibi"}}};
}

constexpr WordTable<Normalization, 2> wordsOf(Normalization)
{
    return {{{Normalization::LayerNorm, "layernorm"}, {Normalization::RmsNorm, "rmsnorm"}}};
}

constexpr WordTable<Activation, 5> wordsOf(Activation)
{
    return {{{Activation::Gelu, "gelu"},
             {Activation::GeluTanh, "gelu_tanh"},
             {Activation::Relu, "relu"},
             {Activation::SwiGlu, "swiglu"},
             {Activation::GeGlu, "geglu"}}};
}

inline bool isGated(Activation value)
{
    return value == Activation::SwiGlu || value == Activation::GeGlu;
}

} // namespace batchpeak::model
