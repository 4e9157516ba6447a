// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// Reads what an axolotl config trains of a network: an adapter of PEFT, or the parameters that
/// unfrozen_parameters names; empty if it trains all parameters (loaders/adapter.py, loaders/model.py and
/// utils/freeze.py of axolotl 0.13).
/// \param hasSixteenBits  whether the network is loaded in bfloat16 or float16
/// \throws NotRun if trials do not support it
/// \throws ConfigError if axolotl refuses it
decltype(ConfigContents::tuningFor) readAxolotlTuning(const ConfigSection& root, bool hasSixteenBits,
                                                      std::vector<Warning>& warnings);

/// Adds to the tuning of a run what "qat" rounds in training (prepare_model_for_qat in utils/quantization.py
/// of axolotl 0.13, with torchao 0.13); returns \p tuning unchanged if the key is absent.
/// \throws NotRun if the run rounds in a way that trials do not support
/// \throws ConfigError if axolotl or torchao refuses it
decltype(ConfigContents::tuningFor) withAxolotlQat(decltype(ConfigContents::tuningFor) tuning,
                                                   const ConfigSection& root, std::vector<Warning>& warnings);

} // namespace batchpeak::config
