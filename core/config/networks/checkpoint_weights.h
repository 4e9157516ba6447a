// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Readers for networks that are published with quantized weights. Such weights stay unchanged, and an
/// adapter is trained beside them.

/// Reads how the weights of a config.json are quantized (quantization_config), into the members of Tuning
/// about frozen weights; they are Same if the key is absent. A warning says what trials hold instead.
///
/// Methods and keys are those of QuantizationMethod, BitsAndBytesConfig, GPTQConfig and AwqConfig in
/// transformers 5.23.0, utils/quantization_config.py.
/// \throws NotRun if trials do not support such weights
model::Tuning readCheckpointWeights(const ConfigSection& config, std::vector<Warning>& warnings);

/// \param isOfBitsandbytes  whether the weights have the layout of bitsandbytes, so that trials differ only
///                          in the kernel
/// \param sentence          name of the weights, as a part of a sentence: "quantization_config"
void warnOfQuantizedWeights(model::FrozenWeights weights, bool isOfBitsandbytes, TextPosition position,
                            std::string_view sentence, std::vector<Warning>& warnings);

/// Gives the run the frozen weights of its network, unless the run itself decides how it holds them.
void takeCheckpointWeights(const model::Tuning& network, model::Tuning& run);

} // namespace batchpeak::config
