// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_survey.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

/// Runs that differ in what a worker does: in family, adapter, precision, checkpointing, how frozen weights
/// are held, optimizer and packing, whatever their sizes.
struct DistinctRun
{
    /// The first config that has it, and how many there are.
    QString path;
    int configs = 1;
    batchpeak::trial::LoadRequest load;

    /// "llama, lora, bf16, checkpointed, nf4, adamw-8bit"
    std::string text() const;
};

struct DistinctRuns
{
    /// Made smaller, in the order of their texts.
    std::vector<DistinctRun> runs;
    /// Why others can be explored and not be made smaller, a sentence each.
    QStringList notShrunk;
};

DistinctRuns distinctRuns(const std::vector<SurveyedFile>& files);
