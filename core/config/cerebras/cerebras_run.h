// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_plan.h"
#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What both layouts of Cerebras configs say about a run, apart from its batches: precision and
/// optimizer. Where Batchpeak runs something else than the config asks for, a warning says so.

/// \param section     holds both keys
/// \param enabledKey  "mixed_precision" or "enabled"
/// \param enabled     where that key is absent
/// \throws ConfigError if fp16_type is none that Cerebras knows
model::Precision readPrecision(const ConfigSection& section, std::string_view enabledKey, bool enabled,
                               std::vector<Warning>& warnings);

/// \param name  as the config writes it: "AdamW", "adamw", "SGD"
model::Optimizer readOptimizer(const std::string& name, TextPosition position,
                               std::vector<Warning>& warnings);

/// "max_gradient_norm" of a section, to which gradients are scaled down; 0 where there is none.
/// \throws ConfigError if it is negative
double readMaxGradientNorm(const ConfigSection& section);

} // namespace batchpeak::config
