// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "megatron_settings.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// \throws ConfigError that names the setting and tells what is wrong with it
[[noreturn]] void failMegatron(const MegatronSettings& settings, std::string_view name,
                               const std::string& problem);

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t checkedMegatronSize(const MegatronSettings& settings, std::string_view name, std::int64_t size);

/// A size that the network is unknown without.
/// \throws ConfigError where it is missing, below 1, or larger than any network's
std::int64_t requiredMegatronSize(const MegatronSettings& settings, std::string_view name);

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t megatronSizeOr(const MegatronSettings& settings, std::string_view name, std::int64_t otherwise);

/// \throws ConfigError where it is not above 0
double positiveMegatronNumberOr(const MegatronSettings& settings, std::string_view name, double otherwise);

} // namespace batchpeak::config
