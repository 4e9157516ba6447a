// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// Megatron's settings of a run by the names that NeMo gives them ("num_layers", "bias"), whatever a config
/// calls them and however it writes them.
///
/// The tokenizer's are "tokenizer_type" and "tokenizer_model", which NeMo keeps in a section of their own.
/// Each function gives nothing where the config says nothing, and throws a ConfigError where it says what
/// cannot be.
class MegatronSettings
{
public:
    virtual ~MegatronSettings() = default;

    virtual std::optional<std::int64_t> integer(std::string_view name) const = 0;
    virtual std::optional<double> number(std::string_view name) const = 0;
    virtual std::optional<bool> boolean(std::string_view name) const = 0;
    virtual std::optional<std::string> text(std::string_view name) const = 0;
    /// There is a value, and it is not null, False, zero, or an empty list or mapping.
    virtual bool isOn(std::string_view name) const = 0;

    /// As the config has it: "model.num_layers", "--num-layers".
    virtual std::string nameOf(std::string_view name) const = 0;
    virtual TextPosition positionOf(std::string_view name) const = 0;
};

} // namespace batchpeak::config
