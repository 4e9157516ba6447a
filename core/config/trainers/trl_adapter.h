// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// The adapter of a config of TRL, by ModelConfig (trl/trainer/model_config.py of TRL 1.x); empty where
/// use_peft is off. \throws NotRun where trials do not have it \throws ConfigError where a value is illegal
decltype(ConfigContents::tuningFor) readTrlAdapter(const ConfigSection& root, std::vector<Warning>& warnings);

/// The type of the weights as they are loaded, by dtype or its older name: "bfloat16", "auto". "float32"
/// where nothing is said, "auto" where that is null.
std::string trlTypeOfWeights(const ConfigSection& root);
std::string_view trlTypeKey(const ConfigSection& root);

} // namespace batchpeak::config
