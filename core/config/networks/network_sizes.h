// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/settings.h"

#include <cstdint>
#include <string_view>

namespace batchpeak::config {

/// Values of settings that describe a network, in whatever words: each is checked to be one that a network
/// can have.

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t checkedSize(const Settings& settings, std::string_view key, std::int64_t size);

/// A size that the network is unknown without.
/// \throws ConfigError where it is missing, below 1, or larger than any network's
std::int64_t requiredSize(const Settings& settings, std::string_view key);

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t sizeOr(const Settings& settings, std::string_view key, std::int64_t otherwise);

/// \throws ConfigError where it is not above 0
double positiveNumberOr(const Settings& settings, std::string_view key, double otherwise);

/// \throws ConfigError where it is below 0, or not below 1
double dropoutRateOr(const Settings& settings, std::string_view key, double otherwise);

} // namespace batchpeak::config
