// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Readers of networks, each for the keys of one family of trainers. Each throws NotRun if trials cannot run
/// the network, and ConfigError if a value is missing or impossible; warnings receive what a trial does
/// differently from the config.

/// Returns the network of a config.json of the Hugging Face hub, by its model_type; each kind of network has
/// a reader of its own. The file says what the network is, not how it is trained: precision and lengths
/// belong to the run.
///
/// A feature that changes speed or memory and that trials do not have makes the network unsupported, and the
/// reason names it; what changes only numbers is ignored.
model::ModelSpec readHuggingFaceModel(const ConfigSection& config, std::vector<Warning>& warnings);

/// Returns the network of a params.json, the file in those checkpoints of LLaMA and Mistral that are not made
/// for transformers: ModelArgs in llama/model.py of Meta's llama and llama3 and in mistral_inference/args.py
/// of mistral-inference 1.6. Absent keys take the defaults of ModelArgs. The file does not set the length of
/// texts.
model::ModelSpec readCheckpointParams(const ConfigSection& params);

/// The kinds of network that Megatron's programs train and that can be run here.
enum class MegatronKind { Decoder, Encoder };

/// Returns the network in the settings that NeMo and the arguments of Megatron-LM share, under the names that
/// NeMo gives them ("num_layers", "bias"). The settings of the tokenizer are "tokenizer_type" and
/// "tokenizer_model", which NeMo keeps in a section of their own.
///
/// Absent settings take the defaults of TransformerConfig (megatron/core/transformer/transformer_config.py)
/// and of _add_network_size_args and validate_args (megatron/training/arguments.py) of Megatron Core 0.20,
/// which are those of model_provider_func and build_transformer_config in megatron_gpt_model.py and
/// megatron_base_model.py of NeMo 2.0 as well. How a network is distributed over devices is not decided here.
model::ModelSpec readMegatronModel(const Settings& settings, MegatronKind kind,
                                   std::vector<Warning>& warnings);

/// Returns the network in the keys of MPTConfig (llmfoundry/models/mpt/configuration_mpt.py of LLM-Foundry
/// 0.22), whose defaults absent keys take.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported.
/// Features without a measurable cost are ignored: initializers, scaling of logits and of rotary positions,
/// the kernel of attention.
model::ModelSpec readMptModel(const ConfigSection& section, std::vector<Warning>& warnings);

/// Warns of the kernels of LLM-Foundry, which transformers does not have, although its files have the same
/// keys.
void warnOfMptKernels(const ConfigSection& model, std::vector<Warning>& warnings);

/// Returns the network of the model section of a torchtune config: the name of a function that builds the
/// network (_component_), and its arguments. Builders of published networks stand for those of the Hugging
/// Face hub; llama2, llama3, llama3_1, llama3_2, mistral, qwen2 and qwen3 take all sizes as arguments
/// (torchtune/models/*/_component_builders.py of torchtune 0.7). What a builder adds to the network is read
/// by readTorchtuneTuning().
model::ModelSpec readTorchtuneModel(const ConfigSection& section, std::vector<Warning>& warnings);

/// Returns the adapters of the builders lora_* and qlora_*, for any network: only the adapters are trained.
/// \throws ConfigError if a value is missing or impossible
model::Tuning readTorchtuneTuning(const ConfigSection& section, std::vector<Warning>& warnings);

/// \throws ConfigError if the builder refuses such adapters of this network
void checkTorchtuneTuning(const ConfigSection& section, const model::ModelSpec& network);

/// Readers of values that describe a network, in the settings of any trainer. Each value is checked to be
/// possible in a network.

/// \throws ConfigError if the size is below 1, or larger than that of any network
std::int64_t checkedSize(const Settings& settings, std::string_view key, std::int64_t size);

/// Checks a size that was computed from several checked sizes.
/// \param key  key of the size that has to be changed
/// \throws ConfigError if the result is larger than that of any network
std::int64_t checkedResult(const Settings& settings, std::string_view key, std::int64_t size);

/// Returns a size without which the network is unknown.
/// \throws ConfigError if the size is missing, below 1, or larger than that of any network
std::int64_t requiredSize(const Settings& settings, std::string_view key);

/// \throws ConfigError if the size is below 1, or larger than that of any network
std::int64_t sizeOr(const Settings& settings, std::string_view key, std::int64_t otherwise);

/// Returns the size of something that a network need not have.
/// \throws ConfigError if the size is below 0, or larger than that of any network
std::int64_t sizeOrNone(const Settings& settings, std::string_view key, std::int64_t otherwise);

/// \throws ConfigError if the number is not above 0
double positiveNumberOr(const Settings& settings, std::string_view key, double otherwise);

/// \throws ConfigError if the rate is below 0, or not below 1
double dropoutRateOr(const Settings& settings, std::string_view key, double otherwise);

} // namespace batchpeak::config
