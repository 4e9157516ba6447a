// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <variant>
#include <vector>

namespace batchpeak::config {

/// The network of a config.json of the Hugging Face hub, by its model_type; each kind of network has a reader
/// of its own. It says what the network is, not how it is trained: precision and lengths belong to the run.
///
/// What changes its speed or memory and what trials do not have makes it unsupported, by name; what changes
/// numbers alone is passed over.
///
/// \param warnings  receives what a trial does otherwise than the network
/// \throws ConfigError where model_type is missing, or a value is impossible
std::variant<model::ModelSpec, UnsupportedModel> readHuggingFaceModel(const ConfigSection& config,
                                                                      std::vector<Warning>& warnings);

} // namespace batchpeak::config
