// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// Keys of a config.json that networks of several kinds read alike.
///
/// What is said of transformers here and in the readers holds for transformers 5.23.0.

/// What a reader of one kind of network makes of a config.json.
using HuggingFaceNetwork = std::variant<model::Architecture, UnsupportedModel>;

/// The network has a feature, as a noun phrase, that changes its speed or memory and that trials do not have.
UnsupportedModel networkWith(const ConfigSection& config, std::string_view key, const std::string& feature);

/// Of two names of one value the one that counts: the later where it is there, which is set after the own one
/// (attribute_map of PreTrainedConfig, configuration_utils.py).
std::string_view keyThere(const ConfigSection& config, std::string_view own, std::string_view later);

/// Words of a list; none where the key is absent or null.
/// \throws ConfigError where it is anything else than a list of words
std::vector<std::string> wordsOf(const ConfigSection& config, std::string_view key);

/// The class of transformers that the network is an object of, such as "GPT2LMHeadModel"; nothing where the
/// file says none.
std::optional<std::string> classOf(const ConfigSection& config);

/// The heads on top of a network that trials run it with.
struct KnownHead
{
    /// Ends of the names of classes with that head: "ForCausalLM".
    std::vector<std::string_view> suffixes;
    /// The class without a head: "LlamaModel".
    std::string_view alone;
    /// As a noun phrase: "its projection onto the vocabulary".
    std::string head;
};

/// Nothing where trials run the network as its class has it. Where the class has no head, and so nothing to
/// learn by, a warning says what is run.
std::optional<UnsupportedModel> otherHead(const ConfigSection& config, const KnownHead& known,
                                          std::vector<Warning>& warnings);

/// What a word of ACT2FN stands for (transformers, activations.py), in a feed-forward layer without and with
/// a gate; nothing for one that trials do not have.
std::optional<model::Activation> plainActivationOf(std::string_view word);
std::optional<model::Activation> gatedActivationOf(std::string_view word);

/// Classes that a classifier tells apart: as many as id2label has, else num_labels, 2 where neither is there
/// (PreTrainedConfig, configuration_utils.py).
std::int64_t labelsOf(const ConfigSection& config);
/// The one of these keys that labelsOf() reads.
std::string_view labelsKey(const ConfigSection& config);

} // namespace batchpeak::config
