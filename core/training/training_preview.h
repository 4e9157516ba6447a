// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "plan/plan_preview.h"
#include "training_options.h"

#include <QString>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace batchpeak::training {

/// Sources of a training run's options besides its config; each overrides the ones above it.
struct TrainingChoices
{
    /// Options of the accompanying exploration. Its device, memory limit, worker and the like apply to the
    /// training too, but not its headroom, nor the size that it was to find.
    engine::ExplorationOptions exploration;
    /// Size that the exploration recommends; 0 without one.
    std::int64_t recommended = 0;
    /// Options that the user entered, keyed by option name; each must be parseable.
    std::map<std::string, std::string> given;
};

/// Everything that is known of a training run before anything runs. It decides nothing that planTraining()
/// does not decide.
struct TrainingPreview
{
    /// Options to train with; options that have no effect given the others are left out.
    TrainingOptions options;
    /// Previews of the options, in the order of the table.
    std::vector<engine::OptionPreview> fields;
    /// Reason that config and options allow no run, as a full sentence; else empty.
    QString problem;
};

/// \throws engine::UsageError  if an entered text cannot be parsed
TrainingPreview previewOn(const QString& filePath, const config::ConfigContents& contents,
                          const TrainingChoices& choices);

} // namespace batchpeak::training
