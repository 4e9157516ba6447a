// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "config/fidelity.h"
#include "model/parameter_table.h"
#include "options/exploration_options.h"
#include "trial/trial_request.h"

namespace batchpeak::engine {

/// Returns how close the trials of a request are to the run that the config describes. This is the one place
/// that decides it, for explorations and training runs alike. What a worker reports about itself is added
/// later.
///
/// \param load  request to a worker; an option counts as replaced only if the config has another value
/// \param counts  parameter counts of the load
config::Fidelity fidelityOfRun(const config::ConfigContents& contents, const ExplorationOptions& options,
                               const trial::LoadRequest& load, const model::ParameterCounts& counts);

} // namespace batchpeak::engine
