// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <variant>
#include <vector>

namespace batchpeak::config {

/// The model section of a Cerebras config, the same in both layouts, as a network to run; each kind of
/// network has a reader of its own.
///
/// \param warnings  receives what a trial does otherwise than the config says
/// \throws ConfigError where a size is missing or impossible
std::variant<model::ModelSpec, UnsupportedModel> readCerebrasModel(const ConfigSection& model,
                                                                   std::vector<Warning>& warnings);

} // namespace batchpeak::config
