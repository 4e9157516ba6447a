// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <variant>
#include <vector>

namespace batchpeak::config {

/// The model section of an LLM-Foundry config, by its name: mpt_causal_lm describes a network, hf_causal_lm,
/// hf_prefix_lm and hf_t5 name one of the Hugging Face hub (llmfoundry/models/__init__.py of LLM-Foundry
/// 0.22). Networks with adapters or in 8 bits are unsupported, since a trial trains all weights of the
/// network.
///
/// \throws ConfigError where a value is of another kind, or such a network cannot exist
std::variant<model::ModelSpec, UnsupportedModel> readLlmFoundryModel(const ConfigSection& section,
                                                                     std::vector<Warning>& warnings);

} // namespace batchpeak::config
