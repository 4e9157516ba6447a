// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// What an axolotl config trains of a network: an adapter of PEFT, or the parameters that unfrozen_parameters
/// names; empty where it trains all (loaders/adapter.py, loaders/model.py and utils/freeze.py of axolotl
/// 0.13).
/// \param hasSixteenBits  the network is loaded in bfloat16 or float16
/// \throws NotRun where trials do not have it
/// \throws ConfigError where axolotl refuses it
decltype(ConfigContents::tuningFor) readAxolotlTuning(const ConfigSection& root, bool hasSixteenBits,
                                                      std::vector<Warning>& warnings);

} // namespace batchpeak::config
