// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "config_section.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// Keys of a Cerebras model section that networks of several kinds read alike.

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t checkedSize(const ConfigSection& model, std::string_view key, std::int64_t size);

/// A size that the network is unknown without.
/// \throws ConfigError where it is missing, below 1, or larger than any network's
std::int64_t requiredSize(const ConfigSection& model, std::string_view key);

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t sizeOr(const ConfigSection& model, std::string_view key, std::int64_t otherwise);

/// \throws ConfigError where it is not above 0
double positiveNumberOr(const ConfigSection& model, std::string_view key, double otherwise);

/// \throws ConfigError where it is below 0, or not below 1
double dropoutRateOr(const ConfigSection& model, std::string_view key, double otherwise);

/// What the word of a nonlinearity stands for; nothing for one that trials do not have.
std::optional<model::Activation> activationOf(std::string_view word);

/// There is a value, and it is not null, False, zero, or an empty list or mapping.
bool isSwitchedOn(const ConfigSection& model, std::string_view key);

/// The network has a feature, as a noun phrase, that changes its speed or memory and that trials do not
/// have.
UnsupportedModel unsupportedBecause(const ConfigSection& model, std::string_view key,
                                    const std::string& feature);

} // namespace batchpeak::config
