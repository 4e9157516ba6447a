// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// What a quantizer rounds while the network is trained: recipes/qat_distributed.py, qat_single_device.py and
/// qat_lora_finetune_distributed.py of torchtune 0.7, with the quantizers of torchao. To be called where the
/// tuning of the contents is read otherwise.
/// \throws NotRun where it rounds in a way that trials do not have
/// \throws ConfigError where torchtune refuses it
void readTorchtuneQuantizer(const ConfigSection& root, ConfigContents& contents);

} // namespace batchpeak::config
