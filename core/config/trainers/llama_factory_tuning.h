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

} // namespace batchpeak::config
