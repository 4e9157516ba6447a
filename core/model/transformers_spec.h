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
/// What it consists of, only that library says: its parameters are counted when it is loaded.
struct TransformersSpec
{
    /// The model_type, for people: "gpt_oss".
    std::string type;
    /// The text of the config.json.
    std::string config;
    /// Its samples are sequences of tokens; else what the config says of images.
    bool takesTexts = true;
    /// Tokens of the longest sequence, as the config has it; 0 for no such limit.
    std::int64_t positions = 0;

    bool operator==(const TransformersSpec&) const = default;
};

std::int64_t defaultSequenceLength(const TransformersSpec& spec);
/// Nothing: what becomes of longer ones is the library's business.
std::optional<std::int64_t> longestSequence(const TransformersSpec& spec);

std::optional<std::string> problemWith(const TransformersSpec& spec);

/// Empty: see above.
std::vector<Parameter> parameterTable(const TransformersSpec& spec);

} // namespace batchpeak::model
