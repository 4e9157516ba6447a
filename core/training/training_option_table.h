// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options/option.h"
#include "training_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::training {

/// An option of a training run.
struct TrainingOption : engine::Option<TrainingOptions>
{
    /// What it concerns, in the order of the help.
    enum class Subject {
        /// How long, and with which samples.
        Length,
        /// Which micro-batch size, and what becomes of it.
        Size,
        /// What is done beside the steps.
        Keeping,
        /// What runs, and on what: the same as for an exploration.
        Run
    };

    Subject subject = Subject::Run;
    /// What holds where nobody asks, in words; empty where the help says it, or the config decides.
    std::string defaults = {};
};

/// In the order of the help.
const std::vector<TrainingOption>& trainingOptionTable();
/// \param name  of one that there is
const TrainingOption& trainingOption(std::string_view name);

/// Whether an option says anything beside the others: as --exact only where a maximum is looked for.
bool playsAPart(std::string_view option, const TrainingOptions& options,
                const config::TrainingSettings& settings);

/// \throws engine::UsageError where options contradict each other, or one says nothing without another
void checkTrainingOptions(const TrainingOptions& options);
/// What of it depends on the config.
/// \throws engine::UsageError
void checkAgainstConfig(const TrainingOptions& options, const config::TrainingSettings& settings);

} // namespace batchpeak::training
