// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <variant>
#include <vector>

namespace batchpeak::config {

/// The model section of a torchtune config: the name of a function that builds the network (_component_), and
/// its arguments. Builders of published networks stand for those of the Hugging Face hub; llama2, llama3,
/// llama3_1, llama3_2, mistral and qwen2 take all sizes as arguments
/// (torchtune/models/*/_component_builders.py of torchtune 0.7).
///
/// Builders that add adapters are unsupported, since a trial trains all weights.
///
/// \throws ConfigError where a size is missing or impossible
std::variant<model::ModelSpec, UnsupportedModel> readTorchtuneModel(const ConfigSection& section,
                                                                    std::vector<Warning>& warnings);

} // namespace batchpeak::config
