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

/// Readers of what both layouts of Cerebras configs share about a run and its network. A warning says where
/// Batchpeak runs something else than the config asks for.

/// Reads the network of the model section, if there is one.
void readCerebrasNetwork(const std::optional<ConfigSection>& model, ConfigContents& contents);

/// Reads LoRA adapters beside the matrices of a decoder, from the section that holds "lora_params": the
/// model's, or that of the callback Lora. The network must be known already; adapters that trials do not
/// support make it unsupported.
/// \throws ConfigError if a value is missing or impossible
void readCerebrasAdapters(const ConfigSection& holder, ConfigContents& contents);

/// \param section     section that holds both keys
/// \param enabledKey  "mixed_precision" or "enabled"
/// \param enabled     value if that key is absent
/// \throws ConfigError if fp16_type is no type that Cerebras knows
model::Precision readCerebrasPrecision(const ConfigSection& section, std::string_view enabledKey,
                                       bool enabled, std::vector<Warning>& warnings);

/// Reads what the input sections say about a sample into \p contents, whose model must be known already: the
/// number of tokens in its sequence and in a decoder's own sequence, and how many masked tokens of it an
/// encoder predicts. The first section that sets a value counts. If none does, the network's default lengths
/// apply, or 0 if there is no network.
///
/// \throws ConfigError if a length is less than 1, or more than the learned positions of the network
void readCerebrasLengths(const std::vector<ConfigSection>& inputs, ConfigContents& contents);

/// Name of Lion in cerebras.pytorch.optim 2.10: Lion.py is a chain of operations, as that of trials is. Adam
/// and AdamW keep their moments whatever betas and correct_bias are; a first moment in Adafactor.py is
/// refused.
inline constexpr std::string_view cerebrasLion = "lion";
/// \param arguments  arguments that the optimizer is created with
/// \throws ConfigError if an argument is refused
void checkCerebrasOptimizer(model::Optimizer optimizer, const ConfigSection& arguments);

/// \param section  section that holds "sparsity"
void warnOfSparsity(const ConfigSection& section, std::vector<Warning>& warnings);

/// Reads the model section as a network, and below as a network of one kind.
///
/// A feature that changes speed or memory and that a trial would leave out is refused. Features without a
/// measurable cost are ignored: scaling of rotary positions, muP factors, initializers, loss weights, scaling
/// and smoothing, the kernel that Cerebras takes for attention, the activations of heads, the padding mask,
/// and at which ends of encoder and decoder dropout is applied.
///
/// \throws NotRun if trials cannot run the network; ConfigError if a size is missing or impossible
model::ModelSpec readCerebrasModel(const ConfigSection& model, std::vector<Warning>& warnings);

/// Reads GPT-2 and the networks of its class: GPT-3, LLaMA, Mistral, Mixtral, Gemma 2, BLOOM, BTLM, Jais,
/// StarCoder.
model::DecoderSpec readCerebrasDecoder(const ConfigSection& model, std::vector<Warning>& warnings);
/// Reads GPT-J and the networks of its class, GPT-NeoX and Falcon: attention and feed-forward layers run in
/// parallel.
model::DecoderSpec readCerebrasParallelDecoder(const ConfigSection& model, std::vector<Warning>& warnings);
/// Reads BERT or ESM-2 in pre-training.
/// \param family  "bert" or "esm2"
model::EncoderSpec readCerebrasEncoder(const ConfigSection& model, std::string_view family);
/// Reads BERT as a classifier of texts.
model::EncoderSpec readCerebrasClassifier(const ConfigSection& model);
/// Reads T5.
model::EncoderDecoderSpec readCerebrasEncoderDecoder(const ConfigSection& model);
/// Reads a vision transformer for classification.
model::VisionTransformerSpec readCerebrasVisionTransformer(const ConfigSection& model,
                                                           std::vector<Warning>& warnings);

/// Returns the activation function under a key.
/// \param words  words that trials support in this kind of network; the first applies if the key is absent
/// \throws NotRun for any other word
model::Activation readCerebrasActivation(const ConfigSection& model, std::string_view key,
                                         std::string_view words);

} // namespace batchpeak::config
