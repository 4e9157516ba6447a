// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_survey.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

/// Run that differs from the others in the work of the worker: in family, adapter, precision, checkpointing,
/// storage of frozen weights, optimizer and packing. Sizes are ignored.
struct DistinctRun
{
    /// The first config with this run, and the number of such configs.
    QString path;
    int configs = 1;
    batchpeak::trial::LoadRequest load;

    /// "llama, lora, bf16, checkpointed, nf4, adamw-8bit"
    std::string text() const;
};

struct DistinctRuns
{
    /// Runs with smaller networks, ordered by their texts.
    std::vector<DistinctRun> runs;
    /// Errors of configs that can be explored but whose networks cannot be made smaller, one sentence each.
    QStringList notShrunk;
};

DistinctRuns distinctRuns(const std::vector<SurveyedFile>& files);
