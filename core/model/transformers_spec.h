// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parameter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::model {

/// A network that the library transformers builds from a config.json, and batchpeak-worker does not.
///
/// Only that library knows its layers and parameters: the parameters are counted when it is loaded.
struct TransformersSpec
{
    /// The model_type, for display: "gpt_oss".
    std::string type;
    /// Contents of the config.json.
    std::string config;
    /// Whether samples are sequences of tokens; otherwise they are images as the config describes them.
    bool takesTexts = true;
    /// Number of tokens in the longest sequence according to the config; 0 for no limit.
    std::int64_t positions = 0;

    bool operator==(const TransformersSpec&) const = default;
};

std::int64_t defaultSequenceLength(const TransformersSpec& spec);
/// Returns nothing: the library itself handles or rejects sequences that are longer than positions.
std::optional<std::int64_t> longestSequence(const TransformersSpec& spec);

std::optional<std::string> problemWith(const TransformersSpec& spec);

/// Returns an empty table, see TransformersSpec.
std::vector<Parameter> parameterTable(const TransformersSpec& spec);

} // namespace batchpeak::model
