// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::model {

/// Low-rank adapters of frozen matrices: LoRA (arXiv 2106.09685), and DoRA, which also learns the magnitude
/// of each row of a matrix (arXiv 2402.09353).
enum class AdapterKind { None, Lora, Dora };

/// The products of a network that can have an adapter. A network computes some of them together: its
/// parameter table lists the single ones (Parameter::projections). An adapter for a value that joins several
/// is one low-rank product for all of them, as for GPT-2's c_attn.
enum class Projection {
    Query,
    Key,
    Value,
    QueryKeyValue,
    KeyValue,
    AttentionOutput,
    CrossQuery,
    CrossKey,
    CrossValue,
    CrossOutput,
    Gate,
    Up,
    GateUp,
    Down,
    /// Dense layers of heads that do not project onto a vocabulary: BERT's pooler and transform.
    Dense,
    /// Projection onto the vocabulary or onto classes.
    Output
};

/// Storage format of weights that are not trained.
enum class FrozenWeights {
    /// The format of the trained weights.
    Same,
    Fp32,
    Bf16,
    /// Matrices in 4-bit NormalFloat (arXiv 2305.14314), everything else in bf16.
    Nf4,
    /// NF4 as in torchao (core/network/kernels/torchao_nf4.h), with a separate matrix for each projection.
    TorchaoNf4,
    /// Matrices in 8-bit integers with a scale for each row (LLM.int8(), arXiv 2208.07339), everything else
    /// in bf16.
    Int8
};

constexpr EnumNames<AdapterKind, 3> wordsOf(AdapterKind)
{
    return {{{AdapterKind::None, "none"}, {AdapterKind::Lora, "lora"}, {AdapterKind::Dora, "dora"}}};
}

constexpr EnumNames<Projection, 16> wordsOf(Projection)
{
    return {{{Projection::Query, "query"},
             {Projection::Key, "key"},
             {Projection::Value, "value"},
             {Projection::QueryKeyValue, "query_key_value"},
             {Projection::KeyValue, "key_value"},
             {Projection::AttentionOutput, "attention_output"},
             {Projection::CrossQuery, "cross_query"},
             {Projection::CrossKey, "cross_key"},
             {Projection::CrossValue, "cross_value"},
             {Projection::CrossOutput, "cross_output"},
             {Projection::Gate, "gate"},
             {Projection::Up, "up"},
             {Projection::GateUp, "gate_up"},
             {Projection::Down, "down"},
             {Projection::Dense, "dense"},
             {Projection::Output, "output"}}};
}

constexpr EnumNames<FrozenWeights, 6> wordsOf(FrozenWeights)
{
    return {{{FrozenWeights::Same, "same"},
             {FrozenWeights::Fp32, "fp32"},
             {FrozenWeights::Bf16, "bf16"},
             {FrozenWeights::Nf4, "nf4"},
             {FrozenWeights::TorchaoNf4, "torchao-nf4"},
             {FrozenWeights::Int8, "int8"}}};
}

/// Whether matrices have fewer bits than the operands of products.
constexpr bool isQuantized(FrozenWeights weights)
{
    return weights == FrozenWeights::Nf4 || weights == FrozenWeights::TorchaoNf4 ||
           weights == FrozenWeights::Int8;
}

/// A projection with an adapter.
struct AdapterTarget
{
    Projection projection = Projection::Query;
    /// Indices of the layers, from 0; empty for all layers that have the projection.
    std::vector<std::int64_t> layers;

    bool operator==(const AdapterTarget&) const = default;
};

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

/// Modules and parameters by their names in transformers, for a network whose layers are unknown here.
struct ModuleNames
{
    /// target_modules of LoraConfig: suffixes of names; or a single pattern, or "all-linear", which
    /// LoraConfig takes as a string and not as a list (isPattern).
    std::vector<std::string> targets;
    bool isPattern = false;
    /// modules_to_save of LoraConfig.
    std::vector<std::string> saved;
    /// target_parameters of LoraConfig: suffixes of the names of parameters, such as those of experts.
    std::vector<std::string> parameters;
    /// Patterns of Python's re, one of which must match the start of the name of a trained parameter. Without
    /// any, no parameter is frozen because of its name.
    std::vector<std::string> trained;

    bool operator==(const ModuleNames&) const = default;
};

/// Which parts of a network are trained, and how the others are held: by default everything is trained;
/// otherwise some of the parameters, or adapters of frozen matrices. It also describes the rounding of
/// quantization-aware training.
///
/// It contains neither the names of a trainer for projections nor the arithmetic of a step.
struct Tuning
{
    AdapterKind adapter = AdapterKind::None;
    /// Rank of each adapter's two matrices, {rank, inputs} and {outputs, rank}.
    std::int64_t rank = 8;
    /// The output of the adapters is scaled by alpha / rank, or by alpha / sqrt(rank) if rankStabilized
    /// (rsLoRA, arXiv 2312.03732).
    double alpha = 8.0;
    bool rankStabilized = false;
    /// Probability of dropout on the inputs of each adapter.
    double dropout = 0.0;
    std::vector<AdapterTarget> targets;
    /// Prefixes of the names of parameters that are trained in full: "layers.30.", "output."; the whole name
    /// for a single bias or weight. With adapters each of them is a copy, whose original stays in memory
    /// (modules_to_save of PEFT); without adapters nothing else is trained.
    std::vector<std::string> trainedParts;
    FrozenWeights frozenWeights = FrozenWeights::Same;
    /// Whether the scales of NF4's blocks are quantized too; in torchao's NF4 they always are.
    bool doubleQuantization = true;
    /// Whether the stacked matrices of experts are quantized like the others. Loaders do not quantize them,
    /// since they are not linear layers (replace_with_bnb_linear in integrations/bitsandbytes.py of
    /// transformers 5.23).
    bool quantizesExperts = false;
    FakeQuantization fakeQuantization = {};
    /// For a network of transformers: replaces targets and trainedParts.
    ModuleNames modules = {};

    bool operator==(const Tuning&) const = default;
};

/// Names of the members in the trial protocol and in Batchpeak's own configs; see architecture_fields.h.
/// Names of modules exist only in the protocol.
template<typename Visitor>
void visitFields(AdapterTarget& target, Visitor&& visitor)
{
    visitor.word("projection", target.projection);
    visitor.sizes("layers", target.layers);
}

template<typename Visitor>
void visitFields(Tuning& tuning, Visitor&& visitor)
{
    visitor.word("adapter", tuning.adapter);
    visitor.value("rank", tuning.rank);
    visitor.value("alpha", tuning.alpha);
    visitor.value("rank_stabilized", tuning.rankStabilized);
    visitor.value("dropout", tuning.dropout);
    visitor.list("targets", tuning.targets);
    visitor.texts("trained_parts", tuning.trainedParts);
    visitor.word("frozen_weights", tuning.frozenWeights);
    visitor.value("double_quantization", tuning.doubleQuantization);
    visitor.value("quantize_experts", tuning.quantizesExperts);
    visitFields(tuning.fakeQuantization, visitor);
}

inline bool hasAdapters(const Tuning& tuning)
{
    return tuning.adapter != AdapterKind::None;
}

/// Whether all parameters are trained.
inline bool trainsAll(const Tuning& tuning)
{
    return !hasAdapters(tuning) && tuning.trainedParts.empty() && tuning.modules.trained.empty();
}

/// Whether the run trains the whole network without rounding.
inline bool isUntuned(const Tuning& tuning)
{
    return trainsAll(tuning) && !roundsAnything(tuning.fakeQuantization);
}

/// Whether the projection has an adapter in any layer.
bool isTarget(const Tuning& tuning, Projection projection);
/// Whether the projection has an adapter in \p layer.
/// \param layer  absent outside of layers
bool isTarget(const Tuning& tuning, Projection projection, std::optional<std::int64_t> layer);

/// A layer, or a block of a residual network, in the name of a parameter.
struct NumberedLayer
{
    /// "decoder.layers.3."; without the last dot if the name ends there.
    std::string_view prefix;
    std::int64_t number = 0;
};

/// \param parameter  name of the parameter, or a prefix of it
/// \param word  "layers." or "blocks."
/// \return nothing for a parameter outside of them
std::optional<NumberedLayer> numberedLayer(std::string_view parameter, std::string_view word);

/// Returns the number after "layers.", or nothing outside of layers.
std::optional<std::int64_t> layerOf(std::string_view parameter);

/// Returns the factor of the adapters' output.
double adapterScale(const Tuning& tuning);

/// Returns what makes a tuning impossible for every network, as a full sentence, or nothing if it is valid.
std::optional<std::string> problemWith(const Tuning& tuning);

} // namespace batchpeak::model
