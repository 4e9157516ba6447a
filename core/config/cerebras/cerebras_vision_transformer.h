// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <variant>
#include <vector>

namespace batchpeak::config {

/// The model section of a Cerebras config that describes a vision transformer for classification.
///
/// As with the other networks, a feature that changes speed or memory and that a trial would leave out
/// makes it unsupported; initialisers and the like are passed over.
///
/// \param warnings  receives what a trial does otherwise than the config says
/// \throws ConfigError where a size is missing or impossible
std::variant<model::VisionTransformerSpec, UnsupportedModel>
readVisionTransformer(const ConfigSection& model, std::vector<Warning>& warnings);

} // namespace batchpeak::config
