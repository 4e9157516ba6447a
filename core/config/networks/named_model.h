// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../syntax/config_section.h"
#include "config/config_document.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// The network that an id of the Hugging Face hub stands for ("meta-llama/Llama-3.2-1B"), by the table of
/// well-known ones: nothing is asked of a network. A folder or a file counts as an id that is not known.
///
/// \param position  of the id in the config, for what is said of it
/// \param warnings  receives that a network was taken for a known one by its name alone, as of a copy under
///                  another owner
/// \param overrides  values of its config.json that a trainer replaces before it builds the network; lists
///                   and mappings are passed over, which change numbers alone, as rope_scaling does
/// \throws ConfigError where an override is impossible
std::variant<model::ModelSpec, UnsupportedModel>
namedModel(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
           const std::optional<ConfigSection>& overrides = std::nullopt);

} // namespace batchpeak::config
