// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options.h"
#include "training/training_options.h"

#include <optional>

namespace batchpeak::cli {

/// What the command line asks of a training run in addition to the config.
struct TrainingArguments
{
    training::TrainingOptions options;
    /// Whether the setting asks for a search. A training run does not search; it halves the size instead.
    bool asksForASearch = false;
    /// Whether to run full steps at the sizes that an exploration found, in place of a training run.
    bool confirms = false;
    /// Number of timed steps of each size; if absent, training::defaultConfirmationSteps.
    std::optional<int> confirmSteps;
};

/// Adds the options that say how to train. Values are parsed strictly, like those of an exploration.
/// \param arguments  filled while parsing; must live until then
void addTrainingOptions(Options& options, TrainingArguments& arguments);

/// Adds only the options of full steps at the sizes that an exploration found.
void addConfirmationOptions(Options& options, TrainingArguments& arguments);

/// \throws UsageError if options contradict each other, or one has no meaning without another
void checkTrainingArguments(const TrainingArguments& arguments);

} // namespace batchpeak::cli
