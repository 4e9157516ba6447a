// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "config/fidelity.h"
#include "model/parameter_table.h"
#include "options/exploration_options.h"
#include "trial/trial_request.h"

namespace batchpeak::engine {

/// How near the trials of a request are to the run that the config describes: the one place that decides it,
/// for explorations and training runs alike. What a worker says of itself comes to it later.
///
/// \param load    what a worker is asked for: what a person asks counts as replaced only where the config has
///                it otherwise
/// \param counts  of the parameters of the load
config::Fidelity fidelityOfRun(const config::ConfigContents& contents, const ExplorationOptions& options,
                               const trial::LoadRequest& load, const model::ParameterCounts& counts);

} // namespace batchpeak::engine
