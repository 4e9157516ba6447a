// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "enum_names.h"
#include "fake_quantization.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::model {

/// Low-rank adapters beside frozen matrices: LoRA (arXiv 2106.09685), and DoRA, which learns the length of
/// each row of a matrix too (arXiv 2402.09353).
enum class AdapterKind { None, Lora, Dora };

/// The products of a network that an adapter can stand beside. A network computes some of them together:
/// those of its own stand in its parameter table (Parameter::projections), and an adapter of a name that
/// joins several is one low-rank product for all of them, as of GPT-2's c_attn.
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
    /// Dense layers of heads that are no projection onto a vocabulary: BERT's pooler and transform.
    Dense,
    /// Onto the vocabulary or onto classes.
    Output
};

/// How weights lie in memory that training leaves as they are.
enum class FrozenWeights {
    /// As the trained ones.
    Same,
    Fp32,
    Bf16,
    /// Matrices in 4-bit NormalFloat (arXiv 2305.14314), all else in bf16.
    Nf4,
    /// The same as torchao has them (core/network/kernels/torchao_nf4.h), each projection's matrix by itself.
    TorchaoNf4,
    /// Matrices in 8-bit integers with a scale for each row (LLM.int8(), arXiv 2208.07339), all else in bf16.
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

/// Matrices have fewer bits than products take.
constexpr bool isQuantized(FrozenWeights weights)
{
    return weights == FrozenWeights::Nf4 || weights == FrozenWeights::TorchaoNf4 ||
           weights == FrozenWeights::Int8;
}

/// Projections with an adapter.
struct AdapterTarget
{
    Projection projection = Projection::Query;
    /// Numbers of the layers, from 0; empty for all that have it.
    std::vector<std::int64_t> layers;

    bool operator==(const AdapterTarget&) const = default;
};

/// Modules by the names that PEFT knows them by, of a network that is not known here.
struct ModuleNames
{
    /// target_modules of LoraConfig: ends of names; or one pattern, or "all-linear", which it takes as a text
    /// and not as a list.
    std::vector<std::string> targets;
    bool isPattern = false;
    /// modules_to_save of LoraConfig.
    std::vector<std::string> saved;

    bool operator==(const ModuleNames&) const = default;
};

/// What of a network training changes, and how the rest is held: all of it, where nothing is said; some of
/// its parameters; or adapters beside matrices that stay as they are. And to which numbers it is rounded
/// meanwhile, where it is to be quantized in the end.
///
/// It knows neither the names that a trainer has for projections nor the arithmetic of a step.
struct Tuning
{
    AdapterKind adapter = AdapterKind::None;
    /// Of each adapter's two matrices, {rank, inputs} and {outputs, rank}.
    std::int64_t rank = 8;
    /// What the adapters say is scaled by alpha / rank, or by alpha / sqrt(rank) where the rank is stabilized
    /// (rsLoRA, arXiv 2312.03732).
    double alpha = 8.0;
    bool rankStabilized = false;
    /// Probability of dropout on the inputs of each adapter.
    double dropout = 0.0;
    std::vector<AdapterTarget> targets;
    /// Beginnings of names of parameters that are trained in full: "layers.30.", "output.". Beside adapters
    /// each of them is a copy, whose original stays in memory (modules_to_save of PEFT); without one they are
    /// all that is trained. Of a bias or a weight alone its whole name.
    std::vector<std::string> trainedParts;
    FrozenWeights frozenWeights = FrozenWeights::Same;
    /// The scales of NF4's blocks are quantized too; those of torchao's always are.
    bool doubleQuantization = true;
    /// Stacked matrices of experts are quantized as others are. Loaders leave them wide, since they are no
    /// linear layers (replace_with_bnb_linear in integrations/bitsandbytes.py of transformers 5.23).
    bool quantizesExperts = false;
    FakeQuantization fakeQuantization = {};
    /// Of a network of transformers, in place of the targets and the trained parts.
    ModuleNames modules = {};

    bool operator==(const Tuning&) const = default;
};

/// What the members are called in the trial protocol and in Batchpeak's own configs; see
/// architecture_fields.h. Names of modules are for the protocol alone.
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

/// Nothing is frozen.
inline bool trainsAll(const Tuning& tuning)
{
    return !hasAdapters(tuning) && tuning.trainedParts.empty();
}

/// The run trains the network as it is.
inline bool isUntuned(const Tuning& tuning)
{
    return trainsAll(tuning) && !roundsAnything(tuning.fakeQuantization);
}

/// An adapter stands beside that projection in some layer.
bool isTarget(const Tuning& tuning, Projection projection);
/// \param layer  absent outside of layers
bool isTarget(const Tuning& tuning, Projection projection, std::optional<std::int64_t> layer);

/// A layer, or a block of a residual network, as names of parameters have it.
struct NumberedLayer
{
    /// "decoder.layers.3."; without the last dot where the name ends there.
    std::string_view prefix;
    std::int64_t number = 0;
};

/// \param parameter  its name, or the beginning of one
/// \param word  "layers." or "blocks."
/// \return nothing outside of them
std::optional<NumberedLayer> numberedLayer(std::string_view parameter, std::string_view word);

/// The number behind "layers."; nothing outside of layers.
std::optional<std::int64_t> layerOf(std::string_view parameter);

/// What the adapters' products are multiplied with.
double adapterScale(const Tuning& tuning);

/// What makes a tuning impossible whatever the network, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const Tuning& tuning);

} // namespace batchpeak::model
