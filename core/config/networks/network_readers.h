// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Readers of networks, each in the words of one family of trainers. Each throws NotRun where trials cannot
/// run the network, and ConfigError where a value is missing or impossible; warnings receive what a trial
/// does otherwise than the config says.

/// The network of a config.json of the Hugging Face hub, by its model_type; each kind of network has a reader
/// of its own. It says what the network is, not how it is trained: precision and lengths belong to the run.
///
/// What changes its speed or memory and what trials do not have makes it unsupported, by name; what changes
/// numbers alone is passed over.
model::ModelSpec readHuggingFaceModel(const ConfigSection& config, std::vector<Warning>& warnings);

/// The network of a params.json, as the checkpoints of LLaMA and Mistral have it that are not of
/// transformers: ModelArgs in llama/model.py of Meta's llama and llama3 and in mistral_inference/args.py of
/// mistral-inference 1.6, whose defaults absent keys take. It says nothing of how long texts are.
model::ModelSpec readCheckpointParams(const ConfigSection& params);

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
model::ModelSpec readMegatronModel(const Settings& settings, MegatronKind kind,
                                   std::vector<Warning>& warnings);

/// A network in the keys of MPTConfig (llmfoundry/models/mpt/configuration_mpt.py of LLM-Foundry 0.22), whose
/// defaults absent keys take.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported.
/// What costs nothing worth measuring is passed over: initializers, scaling of logits and of rotary
/// positions, the kernel of attention.
model::ModelSpec readMptModel(const ConfigSection& section, std::vector<Warning>& warnings);

/// What LLM-Foundry computes it with, and transformers, which has the same keys in its files, does not.
void warnOfMptKernels(const ConfigSection& model, std::vector<Warning>& warnings);

/// The model section of a torchtune config: the name of a function that builds the network (_component_), and
/// its arguments. Builders of published networks stand for those of the Hugging Face hub; llama2, llama3,
/// llama3_1, llama3_2, mistral, qwen2 and qwen3 take all sizes as arguments
/// (torchtune/models/*/_component_builders.py of torchtune 0.7). What a builder adds to the network is for
/// readTorchtuneTuning().
model::ModelSpec readTorchtuneModel(const ConfigSection& section, std::vector<Warning>& warnings);

/// The adapters of the builders lora_* and qlora_*, whatever the network: they are trained, and nothing else.
/// \throws ConfigError where a value is missing or impossible
model::Tuning readTorchtuneTuning(const ConfigSection& section, std::vector<Warning>& warnings);

/// \throws ConfigError where the builder refuses such adapters of this network
void checkTorchtuneTuning(const ConfigSection& section, const model::ModelSpec& network);

/// Values of settings that describe a network, in whatever words: each is checked to be one that a network
/// can have.

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t checkedSize(const Settings& settings, std::string_view key, std::int64_t size);

/// A size that was made of several, each checked.
/// \param key  of the one that is to be changed
/// \throws ConfigError where it is larger than any network's
std::int64_t checkedResult(const Settings& settings, std::string_view key, std::int64_t size);

/// A size that the network is unknown without.
/// \throws ConfigError where it is missing, below 1, or larger than any network's
std::int64_t requiredSize(const Settings& settings, std::string_view key);

/// \throws ConfigError where it is below 1, or larger than any network's
std::int64_t sizeOr(const Settings& settings, std::string_view key, std::int64_t otherwise);

/// The same of something that a network need not have.
/// \throws ConfigError where it is below 0, or larger than any network's
std::int64_t sizeOrNone(const Settings& settings, std::string_view key, std::int64_t otherwise);

/// \throws ConfigError where it is not above 0
double positiveNumberOr(const Settings& settings, std::string_view key, double otherwise);

/// \throws ConfigError where it is below 0, or not below 1
double dropoutRateOr(const Settings& settings, std::string_view key, double otherwise);

} // namespace batchpeak::config
