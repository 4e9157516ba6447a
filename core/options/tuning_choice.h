// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "exploration_options.h"
#include "model/tuning.h"

namespace batchpeak::engine {

/// What training changes of a network: as its config has it, but for what a person asks.
///
/// Whether the network has the parts is not asked here; model::problemWith() says.
/// \throws config::ConfigError where what is asked for contradicts itself or the config
model::Tuning chooseTuning(const config::ConfigContents& contents, const ExplorationOptions& options);

} // namespace batchpeak::engine
