// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// Reads what an LLM-Foundry config says about a run, apart from its batches and its network: precision,
/// optimizer, clipping, checkpointing of activations, what training weighs by. Where a trial runs something
/// else, a warning says so.
///
/// Defaults are those of TrainConfig in llmfoundry/utils/config_utils.py of LLM-Foundry 0.22.
///
/// \throws ConfigError where a value is none that LLM-Foundry knows
void readLlmFoundryRun(const ConfigSection& root, ConfigContents& contents);

/// Reads the tokens of a sample, with the network known or not.
/// \throws ConfigError where the network cannot take so many
void readLlmFoundryLength(const ConfigSection& root, ConfigContents& contents);

} // namespace batchpeak::config
