// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "config/fidelity.h"
#include "model/run_kind.h"
#include "model/tuning.h"
#include "search/strategy.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// What was read from the config and chosen for the run; what stands in the tool bar.
struct RunDescription
{
    QString filePath;
    /// As it was read; empty where nobody said.
    QString configText = {};
    /// File or id of the network that a person had in place of the config's; empty for none.
    QString chosenModel = {};
    /// The words behind "batchpeak explore FILE" that ask for the same.
    QStringList command = {};
    /// What workers are asked to load, as of the trial protocol, but for the memory that a device decides.
    QString loadRequest = {};
    /// The module of a network from a file; empty for any other network.
    QString codePath = {};
    QString formatName;
    QString family;
    /// Path or id that the network is from; empty where it is the config's own.
    QString modelSource;
    /// All, adapters included; 0 where they are counted when the network is loaded.
    std::int64_t parameters = 0;
    /// Of those, what training leaves as it is.
    std::int64_t frozenParameters = 0;
    model::Tuning tuning;
    /// Of every number that its trials give.
    config::Fidelity fidelity;
    model::Phase phase = model::Phase::Train;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    std::int64_t sequenceLength = 0;
    /// In the mean over their lengths, those of both sides of an encoder-decoder; 0 where samples are no
    /// sequences.
    double tokensPerSample = 0.0;
    /// As of model::stepFlops, in the mean over the lengths of samples; nothing where no description tells,
    /// or where a program in the worker's place may run another network.
    std::optional<double> flopsPerSample;
    /// As of model::productPrecision.
    model::Precision productPrecision = model::Precision::Fp32;
    config::BatchPlan plan;
    /// The plan is of a config's batch; else the config holds a network alone, and nobody knows its batch.
    bool hasBatch = true;
    search::Objective objective = search::Objective::Micro;
    QString strategy;
    double tolerance = 0.02;
    double targetConfidence = 0.95;
    double headroom = 0.08;
    /// What the search may spend: trials, and seconds of all that it is under way; nothing where time sets no
    /// bound. Exploration::extend() adds to it.
    int maxTrials = 64;
    std::optional<double> budgetSeconds;
    /// The recommended size is to be measured once more in a fresh process.
    bool isVerified = false;
};

} // namespace batchpeak::engine
