// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"

namespace batchpeak::model {

/// Position encoding of a transformer. ALiBi lowers attention in proportion to distance (arXiv 2108.12409),
/// and has no parameters.
enum class PositionEmbedding { Learned, Rotary, Alibi };
enum class Normalization { LayerNorm, RmsNorm };
/// Activation of feed-forward layers. SwiGlu and GeGlu are gated: two products of the input, one of them
/// activated, are multiplied (arXiv 2002.05202); GeGlu uses the tanh approximation, as T5 1.1 does.
/// ReluSquared is relu(x)^2 (Primer, arXiv 2109.08668).
///
/// Functions that are one kernel of PyTorch's are distinct from those that classes of transformers compute
/// operation by operation, which takes longer and keeps more memory (activations.py and modeling_bloom.py of
/// 5.23.0; all tanh approximations are the same function).
enum class Activation {
    Gelu,
    GeluTanh,
    /// NewGELUActivation, which GPT-2, GPT-J, Phi and others use.
    GeluNew,
    /// FastGELUActivation.
    GeluFast,
    /// The exact function, as modeling_esm.py and "gelu_python" compute it.
    GeluPython,
    /// BloomGelu, whose backward pass recomputes the forward pass.
    BloomGelu,
    Relu,
    ReluSquared,
    SwiGlu,
    GeGlu,
    /// Gated by NewGELUActivation, as in T5 1.1.
    GeGluNew
};
/// How a decoder layer's two branches, attention and feed-forward, are added to the hidden state: one after
/// the other; or in parallel, both with the same normalized input (GPT-J) or each with a normalization of its
/// own (GPT-NeoX).
enum class Branches { Sequential, Parallel, ParallelNorms };

constexpr EnumNames<PositionEmbedding, 3> wordsOf(PositionEmbedding)
{
    return {{{PositionEmbedding::Learned, "learned"},
             {PositionEmbedding::Rotary, "rotary"},
             {PositionEmbedding::Alibi, "alibi"}}};
}

constexpr EnumNames<Normalization, 2> wordsOf(Normalization)
{
    return {{{Normalization::LayerNorm, "layernorm"}, {Normalization::RmsNorm, "rmsnorm"}}};
}

constexpr EnumNames<Activation, 11> wordsOf(Activation)
{
    return {{{Activation::Gelu, "gelu"},
             {Activation::GeluTanh, "gelu_tanh"},
             {Activation::GeluNew, "gelu_new"},
             {Activation::GeluFast, "gelu_fast"},
             {Activation::GeluPython, "gelu_python"},
             {Activation::BloomGelu, "bloom_gelu"},
             {Activation::Relu, "relu"},
             {Activation::ReluSquared, "relu_squared"},
             {Activation::SwiGlu, "swiglu"},
             {Activation::GeGlu, "geglu"},
             {Activation::GeGluNew, "geglu_new"}}};
}

constexpr EnumNames<Branches, 3> wordsOf(Branches)
{
    return {{{Branches::Sequential, "sequential"},
             {Branches::Parallel, "parallel"},
             {Branches::ParallelNorms, "parallel_norms"}}};
}

inline bool isGated(Activation value)
{
    return value == Activation::SwiGlu || value == Activation::GeGlu || value == Activation::GeGluNew;
}

} // namespace batchpeak::model
