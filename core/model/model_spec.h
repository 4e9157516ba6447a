// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "decoder_spec.h"
#include "encoder_decoder_spec.h"
#include "encoder_spec.h"
#include "res_net_spec.h"
#include "script_spec.h"
#include "transformers_spec.h"
#include "vision_transformer_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace batchpeak::model {

/// The supported kinds of networks, each with its own sizes.
using Architecture = std::variant<DecoderSpec, EncoderSpec, EncoderDecoderSpec, VisionTransformerSpec,
                                  ResNetSpec, ScriptSpec, TransformersSpec>;

/// A network as a config describes it.
///
/// It holds what decides shapes, arithmetic and memory. It deliberately does not hold the sequence
/// length of a run, the precision or the optimizer: those belong to the run, not to the network.
struct ModelSpec
{
    /// Name for the user: "gpt2", "llama", "bert", "t5".
    std::string family;
    Architecture architecture;

    bool operator==(const ModelSpec&) const = default;
};

/// Whether only the user's Python can run the network.
inline bool needsPython(const ModelSpec& spec)
{
    return std::holds_alternative<TransformersSpec>(spec.architecture);
}

/// Returns the family's name for the user: for a network of transformers, its model_type.
const std::string& nameOf(const ModelSpec& spec);

/// Whether the samples are sequences of tokens, whose length a run chooses. Images and the inputs of a module
/// from a file are not.
bool takesSequences(const ModelSpec& spec);

/// Returns the default number of tokens in a sample; 1 if the network takes no sequences.
std::int64_t defaultSequenceLength(const ModelSpec& spec);

/// Returns the default number of tokens in the decoder's sequence, or nothing for networks that take only one
/// sequence or none.
std::optional<std::int64_t> defaultTargetLength(const ModelSpec& spec);

/// Returns the number of tokens in the longest sequence that the network takes, or nothing if there is no
/// limit.
std::optional<std::int64_t> longestSequence(const ModelSpec& spec);

/// Whether the network computes over all samples of a micro-batch together, so that a batch split into
/// several micro-batches gives another result than the whole batch. Unknown for a module from a file and for
/// a network of transformers: false for these.
bool normalizesOverBatch(const ModelSpec& spec);

/// Returns what makes a network impossible on every device, as a full sentence, or nothing if it is valid.
std::optional<std::string> problemWith(const ModelSpec& spec);

/// Returns an architecture with its defaults by the name of a family of networks, such as "llama" or "vit",
/// or nothing for an unknown name.
std::optional<Architecture> architectureOf(std::string_view family);

/// Returns the names of all known families for use in a sentence: "gpt2, gpt3, ...".
std::string familyWords();

} // namespace batchpeak::model
