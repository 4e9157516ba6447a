// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Reads what a LLaMA-Factory config trains of a network by its finetuning_type: an adapter, some layers, or
/// all parameters, for which the result is empty (model/adapter.py of LLaMA-Factory 0.9.4).
/// \param type  "lora", "oft", "freeze" or "full"
/// \throws NotRun if trials do not support it
/// \throws ConfigError if LLaMA-Factory refuses it
decltype(ConfigContents::tuningFor) readLlamaFactoryTuning(const ConfigSection& root, std::string_view type,
                                                           std::vector<Warning>& warnings);

/// Returns the method of a run on pairs of texts, which pref_loss names in both trainers of LLaMA-Factory.
model::Preference methodOnPairs(const ConfigSection& root);

/// Whether modules are trained in full beside adapters: those that the config names, or those of the
/// vocabulary if it is resized.
bool trainsWholeModules(const ConfigSection& root);

/// Reads the keys that begin with "freeze_", by which both trainers of LLaMA-Factory train only some layers.
/// \param weights  how the frozen weights are stored
/// \throws ConfigError if LLaMA-Factory refuses it
decltype(ConfigContents::tuningFor) readTrainedLayers(const ConfigSection& section,
                                                      model::FrozenWeights weights);

} // namespace batchpeak::config
