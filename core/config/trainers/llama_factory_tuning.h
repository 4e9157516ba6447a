// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What a LLaMA-Factory config trains of a network by its finetuning_type: an adapter, some layers, or all,
/// for which it is empty (model/adapter.py of LLaMA-Factory 0.9.4).
/// \param type  of "lora", "oft", "freeze" and "full"
/// \throws NotRun where trials do not have it
/// \throws ConfigError where LLaMA-Factory refuses it
decltype(ConfigContents::tuningFor) readLlamaFactoryTuning(const ConfigSection& root, std::string_view type,
                                                           std::vector<Warning>& warnings);

/// pref_loss tells the method of a run on pairs of texts, in both trainers of LLaMA-Factory.
model::Preference methodOnPairs(const ConfigSection& root);

/// Beside adapters: modules that are named, or those of the vocabulary where that is resized.
bool trainsWholeModules(const ConfigSection& root);

/// Layers alone, by the keys that begin with "freeze_", which both trainers of LLaMA-Factory have.
/// \param weights  of what is frozen
/// \throws ConfigError where LLaMA-Factory refuses it
decltype(ConfigContents::tuningFor) readTrainedLayers(const ConfigSection& section,
                                                      model::FrozenWeights weights);

} // namespace batchpeak::config
