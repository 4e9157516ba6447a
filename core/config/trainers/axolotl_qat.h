// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// Adds to the tuning of a run what "qat" rounds in training (prepare_model_for_qat in utils/quantization.py
/// of axolotl 0.13, with torchao 0.13); returns \p tuning unchanged if the key is absent.
/// \throws NotRun if the run rounds in a way that trials do not support
/// \throws ConfigError if axolotl or torchao refuses it
decltype(ConfigContents::tuningFor) withAxolotlQat(decltype(ConfigContents::tuningFor) tuning,
                                                   const ConfigSection& root, std::vector<Warning>& warnings);

} // namespace batchpeak::config
