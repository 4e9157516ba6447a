// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "model/model_spec.h"
#include "networks/named_value.h"
#include "syntax/settings.h"

#include <vector>

namespace batchpeak::config {

/// Checks that trainers with torchao's fake quantization share.

/// Warns that the run starts to round after the number of steps under the key. Trials round from the first
/// step, as nearly all of such a run does.
void warnOfDelayedRounding(const Settings& settings, std::string_view key, std::vector<Warning>& warnings);

/// \param value  value that says how many weights share a scale
/// \throws ConfigError if the groups do not fill the rows of a layer, which FakeQuantizedLinear of torchao
///         and QATLoRALinear of torchtune refuse
void checkGroups(const model::ModelSpec& network, const model::Tuning& tuning, const NamedValue& value);

} // namespace batchpeak::config
