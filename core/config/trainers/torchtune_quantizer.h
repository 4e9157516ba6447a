// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// Reads what a quantizer rounds while the network is trained: recipes/qat_distributed.py,
/// qat_single_device.py and qat_lora_finetune_distributed.py of torchtune 0.7, with the quantizers of
/// torchao. The rest of the tuning must have been read already.
/// \throws NotRun if it rounds in a way that trials do not support
/// \throws ConfigError if torchtune refuses it
void readTorchtuneQuantizer(const ConfigSection& root, ConfigContents& contents);

} // namespace batchpeak::config
