// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// The model section of a Cerebras config, the same in both layouts, read as a network of one kind.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported.
/// What costs nothing worth measuring is passed over: scaling of rotary positions, muP factors, initialisers,
/// loss weights, scaling and smoothing, the kernel that Cerebras takes for attention, the activations of
/// heads, the mask of padding, at which ends of encoder and decoder dropout is applied.
///
/// \param warnings  receives what a trial does otherwise than the config says
/// \throws ConfigError where a size is missing or impossible

template<typename Spec>
using CerebrasNetwork = std::variant<Spec, UnsupportedModel>;

/// GPT-2, GPT-3, LLaMA, Mixtral, BLOOM or Jais.
CerebrasNetwork<model::DecoderSpec> readCerebrasDecoder(const ConfigSection& model,
                                                        std::vector<Warning>& warnings);
/// BERT or ESM-2 in pre-training.
/// \param family  "bert" or "esm2"
CerebrasNetwork<model::EncoderSpec> readCerebrasEncoder(const ConfigSection& model, std::string_view family);
/// T5.
CerebrasNetwork<model::EncoderDecoderSpec> readCerebrasEncoderDecoder(const ConfigSection& model);
/// A vision transformer for classification.
CerebrasNetwork<model::VisionTransformerSpec> readCerebrasVisionTransformer(const ConfigSection& model,
                                                                            std::vector<Warning>& warnings);

/// What the word of a nonlinearity stands for; nothing for one that trials do not have.
std::optional<model::Activation> cerebrasActivation(std::string_view word);

} // namespace batchpeak::config
