// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/settings.h"

#include <string>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// The kinds of network that Megatron's programs train, as far as they can be run here.
enum class MegatronKind { Decoder, Encoder };

/// A network in the settings that NeMo and the arguments of Megatron-LM share, by the names that NeMo gives
/// them ("num_layers", "bias"). The tokenizer's are "tokenizer_type" and "tokenizer_model", which NeMo keeps
/// in a section of their own.
///
/// Absent ones take the defaults of TransformerConfig (megatron/core/transformer/transformer_config.py) and
/// of _add_network_size_args and validate_args (megatron/training/arguments.py) of Megatron Core 0.20, which
/// are those of model_provider_func and build_transformer_config in megatron_gpt_model.py and
/// megatron_base_model.py of NeMo 2.0 as well. How a network is spread over devices is not decided here.
///
/// \throws ConfigError where a size is missing or impossible
std::variant<model::ModelSpec, UnsupportedModel>
readMegatronModel(const Settings& settings, MegatronKind kind, std::vector<Warning>& warnings);

} // namespace batchpeak::config
