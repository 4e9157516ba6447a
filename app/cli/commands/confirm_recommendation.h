// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "training/training_options.h"

#include <QIODevice>

#include <functional>

namespace batchpeak::cli {

class Console;

/// What is asked of a confirmation beside how to train.
struct ConfirmationRequest
{
    /// Timed ones of each size.
    int steps = 1;
    /// Opens what events are written to, once nothing refuses the run any more; null where none are asked
    /// for.
    std::function<QIODevice*()> events = [] { return nullptr; };
    /// Hears why events are missing, as the system says it.
    std::function<void(const QString&)> onMissingEvents = {};
};

/// Takes what the newest exploration of this config on this device recommends, from the history, and runs
/// full steps at that size and its runner-up, until they are done or interrupted.
///
/// \return the exit code
/// \throws UsageError  where there is no such exploration
/// \throws config::ConfigError, engine::ExplorationError as training::TrainingRun::load
int confirmRecommendation(const engine::ConfigFile& file, const training::TrainingOptions& options,
                          const ConfirmationRequest& request, Console& console);

} // namespace batchpeak::cli
