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

/// The kinds of network that there are; each knows its own sizes.
using Architecture = std::variant<DecoderSpec, EncoderSpec, EncoderDecoderSpec, VisionTransformerSpec,
                                  ResNetSpec, ScriptSpec, TransformersSpec>;

/// A network, as a config describes it.
///
/// It holds what decides shapes, arithmetic and memory. It deliberately does not hold the sequence
/// length of a run, the precision or the optimizer: those belong to the run, not to the network.
struct ModelSpec
{
    /// "gpt2", "llama", "bert", "t5": the name that a person reads.
    std::string family;
    Architecture architecture;

    bool operator==(const ModelSpec&) const = default;
};

/// Only the user's Python can run it.
inline bool needsPython(const ModelSpec& spec)
{
    return std::holds_alternative<TransformersSpec>(spec.architecture);
}

/// The family as a person knows it: of a network of transformers its model_type.
const std::string& nameOf(const ModelSpec& spec);

/// Its samples are sequences of tokens, whose length a run chooses. Images and the inputs of a module from a
/// file are not.
bool takesSequences(const ModelSpec& spec);

/// Tokens of a sample where a config does not say; 1 where it takes no sequences.
std::int64_t defaultSequenceLength(const ModelSpec& spec);

/// Tokens of the decoder's sequence where a config does not say; nothing for networks that read no sequence
/// or one.
std::optional<std::int64_t> defaultTargetLength(const ModelSpec& spec);

/// Tokens of the longest sequence it can take; nothing where there is no such limit.
std::optional<std::int64_t> longestSequence(const ModelSpec& spec);

/// It computes over the samples of a micro-batch together, so that a batch in several of them gives another
/// result than the batch whole. Not known of a module from a file or a network of transformers, which count
/// as such that do not.
bool normalizesOverBatch(const ModelSpec& spec);

/// What makes a network impossible whatever the device, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const ModelSpec& spec);

/// An architecture as its defaults are, by the name of a family of networks: "llama", "vit". Nothing for an
/// unknown one.
std::optional<Architecture> architectureOf(std::string_view family);

/// Every known family, for a sentence: "gpt2, gpt3, ...".
std::string familyWords();

} // namespace batchpeak::model
