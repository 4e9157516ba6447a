// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// Reads the adapter of a config of TRL, by ModelConfig (trl/trainer/model_config.py of TRL 1.x); empty if
/// use_peft is off.
/// \throws NotRun if trials do not support it
/// \throws ConfigError if a value is illegal
decltype(ConfigContents::tuningFor) readTrlAdapter(const ConfigSection& root, std::vector<Warning>& warnings);

/// Returns the type in which weights are loaded, from dtype or its older name: "bfloat16", "auto". Returns
/// "float32" if the key is absent, "auto" if it is null.
std::string trlTypeOfWeights(const ConfigSection& root);

/// Key of the arguments with which a network is loaded: SFTConfig in TRL 1.x, trl/trainer/sft_config.py.
/// use_cache among them has no effect, since the loss is computed without a cache (compute_loss in
/// trl/trainer/sft_trainer.py).
inline constexpr std::string_view trlLoadingKey = "model_init_kwargs";
/// Returns the section that sets the type: the root, or those arguments if the root does not set it.
ConfigSection trlLoading(const ConfigSection& root);
/// \param loading  section that trlLoading() returns
std::string_view trlTypeKey(const ConfigSection& loading);
/// Warns which scripts use those arguments, and what trials do differently.
void warnOfTrlLoading(const ConfigSection& root, std::vector<Warning>& warnings);

} // namespace batchpeak::config
