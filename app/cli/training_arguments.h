// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options.h"
#include "training/training_options.h"

#include <optional>

namespace batchpeak::cli {

/// What the command line asks of a training run beside the config.
struct TrainingArguments
{
    training::TrainingOptions options;
    /// The setting asks for a search, which a training run does not make: it halves instead.
    bool asksForASearch = false;
    /// Full steps at the sizes that an exploration found, in place of a training run.
    bool confirms = false;
    /// Timed ones of each size; without it training::defaultConfirmationSteps.
    std::optional<int> confirmSteps;
};

/// The options that say how to train. Values are read strictly, as those of an exploration.
/// \param arguments  filled while parsing; must live as long
void addTrainingOptions(Options& options, TrainingArguments& arguments);

/// Those of full steps at the sizes that an exploration found, alone.
void addConfirmationOptions(Options& options, TrainingArguments& arguments);

/// \throws UsageError where options contradict each other, or one says nothing without another
void checkTrainingArguments(const TrainingArguments& arguments);

} // namespace batchpeak::cli
