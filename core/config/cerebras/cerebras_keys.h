// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// Keys of a Cerebras model section that networks of several kinds read alike.

/// What the word of a nonlinearity stands for; nothing for one that trials do not have.
std::optional<model::Activation> activationOf(std::string_view word);

/// There is a value, and it is not null, False, zero, or an empty list or mapping.
bool isSwitchedOn(const ConfigSection& model, std::string_view key);

/// The network has a feature, as a noun phrase, that changes its speed or memory and that trials do not
/// have.
UnsupportedModel unsupportedBecause(const ConfigSection& model, std::string_view key,
                                    const std::string& feature);

} // namespace batchpeak::config
