// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Networks whose weights are quantized already where they are published. Such weights stay as they are, and
/// an adapter is trained beside them.

/// How a config.json has them (quantization_config), in the members of Tuning that tell of frozen weights;
/// Same where it has no such key. A warning says what trials hold in their place.
///
/// Methods and keys are those of QuantizationMethod, BitsAndBytesConfig, GPTQConfig and AwqConfig in
/// transformers 5.23.0, utils/quantization_config.py. \throws NotRun where trials hold no such weights
model::Tuning readCheckpointWeights(const ConfigSection& config, std::vector<Warning>& warnings);

/// \param isOfBitsandbytes  they lie as bitsandbytes has them, so that only the kernel of trials is another
/// \param sentence              of the weights, as a part of a sentence: "quantization_config"
void warnOfQuantizedWeights(model::FrozenWeights weights, bool isOfBitsandbytes, TextPosition position,
                            std::string_view sentence, std::vector<Warning>& warnings);

/// The run has the weights of its network, unless it says itself how it holds them.
void takeCheckpointWeights(const model::Tuning& network, model::Tuning& run);

} // namespace batchpeak::config
