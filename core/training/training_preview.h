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

/// Whom a training run follows beside its config, each before the one above.
struct TrainingChoices
{
    /// The exploration beside: its device, memory limit, worker and the like hold for the training too, but
    /// not its headroom, nor the size that it was to find.
    engine::ExplorationOptions exploration;
    /// The size that it recommends; 0 without one.
    std::int64_t recommended = 0;
    /// What a person wrote, by the names of the options; each can be read.
    std::map<std::string, std::string> given;
};

/// All that is known of a training run before anything runs. It decides nothing that planTraining() does not.
struct TrainingPreview
{
    /// To train with; what says nothing beside the others is left out.
    TrainingOptions options;
    /// In the order of the table.
    std::vector<engine::OptionPreview> fields;
    /// Why config and options allow no run, as a full sentence; else empty.
    QString problem;
};

/// \throws engine::UsageError where a text that was given cannot be read
TrainingPreview previewOn(const QString& filePath, const config::ConfigContents& contents,
                          const TrainingChoices& choices);

} // namespace batchpeak::training
