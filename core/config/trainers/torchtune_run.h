// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>

namespace batchpeak::config {

/// Reads what a torchtune config says about a run, apart from its batches and its network: precision,
/// optimizer, clipping, checkpointing of activations, length of the samples, what training does beside it.
/// Where a trial runs something else, a warning says so.
///
/// Defaults are those of recipes/full_finetune_single_device.py and full_finetune_distributed.py of torchtune
/// 0.7.
///
/// \throws ConfigError where a value is none that torchtune takes
void readTorchtuneRun(const ConfigSection& root, ConfigContents& contents);

/// What makes the run one that trials cannot stand for, though its network can be built: adapters, a second
/// network, layers cut over several GPUs.
std::optional<UnsupportedModel> unsupportedTorchtuneRun(const ConfigSection& root);

} // namespace batchpeak::config
