// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <variant>
#include <vector>

namespace batchpeak::config {

/// A network in the keys of MPTConfig (llmfoundry/models/mpt/configuration_mpt.py of LLM-Foundry 0.22), whose
/// defaults absent keys take.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported.
/// What costs nothing worth measuring is passed over: initialisers, scaling of logits and of rotary
/// positions, the kernel of attention.
///
/// \param warnings  receives what a trial does otherwise than the config says, where that is small
/// \throws ConfigError where a value is of another kind, or such a network cannot exist
std::variant<model::ModelSpec, UnsupportedModel> readMptModel(const ConfigSection& section,
                                                              std::vector<Warning>& warnings);

} // namespace batchpeak::config
