// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "decoder_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace batchpeak::model {

/// The kinds of network that there are; each knows its own sizes.
using Architecture = std::variant<DecoderSpec>;

/// A network, as a config describes it.
///
/// It holds what decides shapes, arithmetic and memory. It deliberately does not hold the sequence
/// length of a run, the precision or the optimizer: those belong to the run, not to the network.
struct ModelSpec
{
    /// "gpt2", "gpt3", "llama": the name that a person reads.
    std::string family;
    Architecture architecture;

    bool operator==(const ModelSpec&) const = default;
};

/// Tokens of a sample where a config does not say.
std::int64_t usualSequenceLength(const ModelSpec& spec);

/// Tokens of the longest sequence it can take; nothing where there is no such limit.
std::optional<std::int64_t> longestSequence(const ModelSpec& spec);

/// What makes a network impossible whatever the device, as a full sentence; nothing if it is sound.
std::optional<std::string> problemWith(const ModelSpec& spec);

} // namespace batchpeak::model
