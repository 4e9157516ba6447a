// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "exploration_options.h"
#include "model/tuning.h"

namespace batchpeak::engine {

/// Returns what training changes of a network: as in its config, except for what a person asks.
///
/// It does not check whether the network has the parts; model::problemWith() does.
/// \throws config::ConfigError if what is asked for contradicts itself or the config
model::Tuning chooseTuning(const config::ConfigContents& contents, const ExplorationOptions& options);

} // namespace batchpeak::engine
