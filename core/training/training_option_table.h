// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options/option.h"
#include "training_options.h"

#include <string_view>
#include <vector>

namespace batchpeak::training {

/// An option of a training run.
struct TrainingOption : engine::Option<TrainingOptions>
{
    /// Subject of the option, in the order of the help.
    enum class Subject {
        /// Length of the run, and its samples.
        Length,
        /// Micro-batch size, and how it changes.
        Size,
        /// Evaluation, checkpoints and other work besides the steps.
        Keeping,
        /// Program, network and devices, the same as for an exploration.
        Run
    };

    Subject subject = Subject::Run;
};

/// Returns all options, in the order of the help.
const std::vector<TrainingOption>& trainingOptionTable();
/// \param name  name of an existing option
const TrainingOption& trainingOption(std::string_view name);

/// Whether an option has an effect given the others; for example, --exact has one only if a maximum is
/// searched for.
bool playsAPart(std::string_view option, const TrainingOptions& options,
                const config::TrainingSettings& settings);

/// \throws engine::UsageError  if options contradict each other, or if one has no effect without another
void checkTrainingOptions(const TrainingOptions& options);
/// Checks what depends on the config.
/// \throws engine::UsageError
void checkAgainstConfig(const TrainingOptions& options, const config::TrainingSettings& settings);

} // namespace batchpeak::training
