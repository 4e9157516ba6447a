// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "training/training_options.h"

#include <QIODevice>

#include <functional>

namespace batchpeak::cli {

class Console;

/// The settings of a confirmation run other than the training options.
struct ConfirmationRequest
{
    /// Number of timed steps of each size.
    int steps = 1;
    /// Opens the device that events are written to; called once nothing can refuse the run any more. Returns
    /// null if no events are asked for.
    std::function<QIODevice*()> events = [] { return nullptr; };
    /// Called with the system's reason why events are missing.
    std::function<void(const QString&)> onMissingEvents = {};
};

/// Reads the recommendation of the newest exploration of this config on this device from the history, and
/// runs full steps at the recommended size and its runner-up until the steps are done or interrupted.
///
/// \return the exit code
/// \throws UsageError  if there is no such exploration
/// \throws config::ConfigError, engine::ExplorationError as training::TrainingRun::load
int confirmRecommendation(const engine::ConfigFile& file, const training::TrainingOptions& options,
                          const ConfirmationRequest& request, Console& console);

} // namespace batchpeak::cli
