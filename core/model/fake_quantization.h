// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"

#include <cstdint>

namespace batchpeak::model {

/// The numbers that weights are rounded to in each product, as torchao 0.13 fake quantizes them
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

/// The same of the inputs of products.
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
/// and inputs that are rounded to the numbers of a quantized network, and what is learned passes the rounding
/// as if it were not there.
///
/// It says how values are rounded and in which layers, not when: a run that begins to round after some steps
/// is described as it is from then on.
struct FakeQuantization
{
    FakeQuantizedWeights weights = FakeQuantizedWeights::None;
    /// Values of a row that share a scale; 0: all of it. Layers whose inputs are no multiple of it are left
    /// as they are. Without meaning for nvfp4, whose blocks have a size of their own.
    std::int64_t groupSize = 32;
    FakeQuantizedActivations activations = FakeQuantizedActivations::None;
    /// Embeddings too, by their weights.
    bool embeddings = false;
    /// The projection onto the vocabulary too where it is the embedding's.
    bool sharedOutput = false;
    /// Layers that have an adapter alone (QATLoRALinear of torchtune 0.7).
    bool adaptedLayers = false;

    bool operator==(const FakeQuantization&) const = default;
};

/// See visitFields of Tuning, beside whose members these stand.
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

/// Values of a row of so many that share a scale.
inline std::int64_t groupSizeOf(const FakeQuantization& rounding, std::int64_t inputs)
{
    constexpr std::int64_t narrowFloatBlock = 16;
    if (rounding.weights == FakeQuantizedWeights::Nvfp4 ||
        rounding.activations == FakeQuantizedActivations::Nvfp4)
        return narrowFloatBlock;
    return rounding.groupSize == 0 ? inputs : rounding.groupSize;
}

} // namespace batchpeak::model
