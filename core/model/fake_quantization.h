// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"

#include <cstdint>

namespace batchpeak::model {

/// Format that weights are rounded to in each product, as torchao 0.13 fake quantizes them
/// (torchao/quantization/qat and torchao/prototype/qat).
enum class FakeQuantizedWeights {
    None,
    /// Symmetric integers with a scale for each group.
    Int4,
    Int8,
    /// Integers from 0 with a scale and a smallest value for each group (Int4WeightOnlyQATQuantizer).
    Uint4,
    /// 4-bit floats with a scale in 8-bit floats for each block of 16.
    Nvfp4
};

/// Format that the inputs of products are rounded to.
enum class FakeQuantizedActivations {
    None,
    /// Asymmetric integers with a scale and a zero point for each token.
    Int8,
    Nvfp4
};

constexpr EnumNames<FakeQuantizedWeights, 5> wordsOf(FakeQuantizedWeights)
{
    return {{{FakeQuantizedWeights::None, "none"},
             {FakeQuantizedWeights::Int4, "int4"},
             {FakeQuantizedWeights::Int8, "int8"},
             {FakeQuantizedWeights::Uint4, "uint4"},
             {FakeQuantizedWeights::Nvfp4, "nvfp4"}}};
}

constexpr EnumNames<FakeQuantizedActivations, 3> wordsOf(FakeQuantizedActivations)
{
    return {{{FakeQuantizedActivations::None, "none"},
             {FakeQuantizedActivations::Int8, "int8"},
             {FakeQuantizedActivations::Nvfp4, "nvfp4"}}};
}

/// Quantization-aware training (arXiv 1712.05877): each product of a linear layer is computed with weights
/// and inputs that are rounded to the numbers of a quantized network, and gradients pass through the rounding
/// unchanged.
///
/// It describes how values are rounded and in which layers, not when: a run that begins to round after some
/// steps is described as it is from then on.
struct FakeQuantization
{
    FakeQuantizedWeights weights = FakeQuantizedWeights::None;
    /// Number of values in a row that share a scale; 0 for the whole row. Layers whose number of inputs is
    /// not a multiple of it are not rounded. Ignored for nvfp4, whose blocks have a fixed size.
    std::int64_t groupSize = 32;
    FakeQuantizedActivations activations = FakeQuantizedActivations::None;
    /// Whether the weights of embeddings are rounded too.
    bool embeddings = false;
    /// Whether the projection onto the vocabulary is rounded too if it shares the embedding's weights.
    bool sharedOutput = false;
    /// Whether only layers with an adapter are rounded (QATLoRALinear of torchtune 0.7).
    bool adaptedLayers = false;

    bool operator==(const FakeQuantization&) const = default;
};

/// See visitFields of Tuning, next to whose members these are written.
template<typename Visitor>
void visitFields(FakeQuantization& rounding, Visitor&& visitor)
{
    visitor.word("fake_quantized_weights", rounding.weights);
    visitor.value("fake_quantization_group", rounding.groupSize);
    visitor.word("fake_quantized_activations", rounding.activations);
    visitor.value("fake_quantizes_embeddings", rounding.embeddings);
    visitor.value("fake_quantizes_shared_output", rounding.sharedOutput);
    visitor.value("fake_quantizes_adapted_layers", rounding.adaptedLayers);
}

inline bool roundsAnything(const FakeQuantization& rounding)
{
    return rounding.weights != FakeQuantizedWeights::None ||
           rounding.activations != FakeQuantizedActivations::None;
}

/// Returns the number of values that share a scale in a row of \p inputs values.
inline std::int64_t groupSizeOf(const FakeQuantization& rounding, std::int64_t inputs)
{
    constexpr std::int64_t narrowFloatBlock = 16;
    if (rounding.weights == FakeQuantizedWeights::Nvfp4 ||
        rounding.activations == FakeQuantizedActivations::Nvfp4)
        return narrowFloatBlock;
    return rounding.groupSize == 0 ? inputs : rounding.groupSize;
}

} // namespace batchpeak::model
