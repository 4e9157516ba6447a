// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// Adds what "qat" rounds in training to what the run trains (prepare_model_for_qat in utils/quantization.py
/// of axolotl 0.13, with torchao 0.13); without it, \p tuning as it is. \throws NotRun where it rounds in a
/// way that trials do not have \throws ConfigError where axolotl or torchao refuses it
decltype(ConfigContents::tuningFor) withAxolotlQat(decltype(ConfigContents::tuningFor) tuning,
                                                   const ConfigSection& root, std::vector<Warning>& warnings);

} // namespace batchpeak::config
