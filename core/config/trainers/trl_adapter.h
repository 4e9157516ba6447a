// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// The adapter of a config of TRL, by ModelConfig (trl/trainer/model_config.py of TRL 1.x); empty where
/// use_peft is off. \throws NotRun where trials do not have it \throws ConfigError where a value is illegal
decltype(ConfigContents::tuningFor) readTrlAdapter(const ConfigSection& root, std::vector<Warning>& warnings);

/// The type of the weights as they are loaded, by dtype or its older name: "bfloat16", "auto". "float32"
/// where nothing is said, "auto" where that is null.
std::string trlTypeOfWeights(const ConfigSection& root);

/// Arguments that a network is loaded with: SFTConfig in TRL 1.x, trl/trainer/sft_config.py. use_cache among
/// them does nothing, since the loss is computed without (compute_loss in trl/trainer/sft_trainer.py).
inline constexpr std::string_view trlLoadingKey = "model_init_kwargs";
/// The section that says the type: the root, or those arguments where the root says none.
ConfigSection trlLoading(const ConfigSection& root);
/// \param loading  as trlLoading() has it
std::string_view trlTypeKey(const ConfigSection& loading);
/// Who heeds those arguments, and what of them trials do otherwise.
void warnOfTrlLoading(const ConfigSection& root, std::vector<Warning>& warnings);

} // namespace batchpeak::config
