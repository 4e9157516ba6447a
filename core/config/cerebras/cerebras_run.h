// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What both layouts of Cerebras configs say of a run alike. Where Batchpeak runs something else than the
/// config asks for, a warning says so.

/// The network of the model section, where there is one.
void readCerebrasNetwork(const std::optional<ConfigSection>& model, ConfigContents& contents);

/// \param section     holds both keys
/// \param enabledKey  "mixed_precision" or "enabled"
/// \param enabled     where that key is absent
/// \throws ConfigError if fp16_type is none that Cerebras knows
model::Precision readCerebrasPrecision(const ConfigSection& section, std::string_view enabledKey,
                                       bool enabled, std::vector<Warning>& warnings);

/// What the input sections say about a sample, written into \p contents, whose model is known by then: the
/// tokens of its sequence, those of a decoder's own sequence, and how many masked tokens of it an encoder
/// predicts. The first section that says something counts; where none does, the network's usual lengths
/// stand, and 0 where there is no network.
///
/// \throws ConfigError where a length is less than 1, or more than the network has learned positions
void readCerebrasLengths(const std::vector<ConfigSection>& inputs, ConfigContents& contents);

/// \param section  holds "sparsity"
void warnOfSparsity(const ConfigSection& section, std::vector<Warning>& warnings);

} // namespace batchpeak::config
