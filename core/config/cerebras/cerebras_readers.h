// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"
#include "unmodeled_features.h"

#include <optional>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What both layouts of Cerebras configs say of a run and of its network alike. Where Batchpeak runs
/// something else than the config asks for, a warning says so.

/// The network of the model section, where there is one.
void readCerebrasNetwork(const std::optional<ConfigSection>& model, ConfigContents& contents);

/// LoRA beside the matrices of a decoder, from the section that holds "lora_params": the model's, or that of
/// the callback Lora. Adapters that trials do not have make the network, known by then, unsupported. \throws
/// ConfigError where a value is missing or impossible
void readCerebrasAdapters(const ConfigSection& holder, ConfigContents& contents);

/// \param section     holds both keys
/// \param enabledKey  "mixed_precision" or "enabled"
/// \param enabled     where that key is absent
/// \throws ConfigError if fp16_type is none that Cerebras knows
model::Precision readCerebrasPrecision(const ConfigSection& section, std::string_view enabledKey,
                                       bool enabled, std::vector<Warning>& warnings);

/// What the input sections say about a sample, written into \p contents, whose model is known by then: the
/// tokens of its sequence, those of a decoder's own sequence, and how many masked tokens of it an encoder
/// predicts. The first section that says something counts; where none does, the network's usual lengths
/// stand, and 0 where there is no network.
///
/// \throws ConfigError where a length is less than 1, or more than the network has learned positions
void readCerebrasLengths(const std::vector<ConfigSection>& inputs, ConfigContents& contents);

/// cerebras.pytorch.optim 2.10: Lion.py is a chain of operations, as that of trials is. The moments of Adam
/// and AdamW are there whatever betas and correct_bias are; a first one of Adafactor.py is refused.
inline constexpr std::string_view cerebrasLion = "lion";
/// \param arguments  that the optimizer is made with
/// \throws ConfigError where it is refused
void checkCerebrasOptimizer(model::Optimizer optimizer, const ConfigSection& arguments);

/// \param section  holds "sparsity"
void warnOfSparsity(const ConfigSection& section, std::vector<Warning>& warnings);

/// The model section read as a network, and as one of a kind.
///
/// A feature that changes speed or memory and that a trial would leave out is refused. What costs nothing
/// worth measuring is passed over: scaling of rotary positions, muP factors, initializers, loss weights,
/// scaling and smoothing, the kernel that Cerebras takes for attention, the activations of heads, the mask of
/// padding, at which ends of encoder and decoder dropout is applied.
///
/// \throws NotRun where trials cannot run it, ConfigError where a size is missing or impossible
model::ModelSpec readCerebrasModel(const ConfigSection& model, std::vector<Warning>& warnings);

/// GPT-2 and the networks of its class: GPT-3, LLaMA, Mistral, Mixtral, Gemma 2, BLOOM, BTLM, Jais,
/// StarCoder.
model::DecoderSpec readCerebrasDecoder(const ConfigSection& model, std::vector<Warning>& warnings);
/// GPT-J and the networks of its class, GPT-NeoX and Falcon: attention and feed-forward layers side by side.
model::DecoderSpec readCerebrasParallelDecoder(const ConfigSection& model, std::vector<Warning>& warnings);
/// BERT or ESM-2 in pre-training.
/// \param family  "bert" or "esm2"
model::EncoderSpec readCerebrasEncoder(const ConfigSection& model, std::string_view family);
/// BERT as a classifier of texts.
model::EncoderSpec readCerebrasClassifier(const ConfigSection& model);
/// T5.
model::EncoderDecoderSpec readCerebrasEncoderDecoder(const ConfigSection& model);
/// A vision transformer for classification.
model::VisionTransformerSpec readCerebrasVisionTransformer(const ConfigSection& model,
                                                           std::vector<Warning>& warnings);

/// The nonlinearity under a key.
/// \param words  those that trials have in this kind of network; the first is that of an absent key
/// \throws NotRun for any other word
model::Activation readCerebrasActivation(const ConfigSection& model, std::string_view key,
                                         std::string_view words);

} // namespace batchpeak::config
