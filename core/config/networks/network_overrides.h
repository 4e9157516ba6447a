// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/config_section.h"

#include <string>

namespace batchpeak::config {

/// Returns a config.json with values replaced, as trainers replace them before they build the network. Lists
/// and mappings are ignored, since they change only numbers, as rope_scaling does.
/// \throws ConfigError if the text is no JSON, or a value is impossible
std::string withOverrides(const std::string& config, const ConfigSection& overrides);

} // namespace batchpeak::config
