// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string>
#include <variant>

namespace batchpeak::config {

/// "gpt2", "llama", "bert", "t5", ... for the model section of a Cerebras config, or why it is none that
/// trials can run.
///
/// The Trainer layout names its network; the older layout leaves it to the script that is run, so that
/// only the keys can tell.
std::variant<std::string, UnsupportedModel> cerebrasFamily(const ConfigSection& model);

/// The first feature of a decoder-only network that changes its speed or memory and that trials
/// here do not have.
std::optional<UnsupportedModel> unsupportedFeature(const ConfigSection& model);

} // namespace batchpeak::config
