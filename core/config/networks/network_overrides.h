// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/config_section.h"

#include <string>

namespace batchpeak::config {

/// A config.json with other values in it, as trainers replace them before they build the network. Lists and
/// mappings are passed over, which change numbers alone, as rope_scaling does.
/// \throws ConfigError where the text is no JSON, or a value is impossible
std::string withOverrides(const std::string& config, const ConfigSection& overrides);

} // namespace batchpeak::config
