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

/// What was read from the config and chosen for the run. The tool bar shows it.
struct RunDescription
{
    QString filePath;
    /// Text of the config as it was read; empty if unknown.
    QString configText = {};
    /// File or id of the network that a person chose in place of the config's; empty for none.
    QString chosenModel = {};
    /// The words after "batchpeak explore FILE" that ask for the same.
    QStringList command = {};
    /// What workers are asked to load, in the form of the trial protocol, except for the memory, which a
    /// device decides.
    QString loadRequest = {};
    /// File of the module of a network from a file; empty for any other network.
    QString codePath = {};
    QString formatName;
    QString family;
    /// Path or id that the network is from; empty if it is the config's own.
    QString modelSource;
    /// Number of all parameters, including adapters; 0 if they are counted when the network is loaded.
    std::int64_t parameters = 0;
    /// Number of parameters that training leaves unchanged.
    std::int64_t frozenParameters = 0;
    model::Tuning tuning;
    /// Fidelity of every number that the trials produce.
    config::Fidelity fidelity;
    /// Number of processes that take each step of a trial together. Sizes and memory are those of one of
    /// them, samples/s those of all.
    std::int64_t processes = 1;
    model::Phase phase = model::Phase::Train;
    model::Precision precision = model::Precision::Fp32;
    model::Optimizer optimizer = model::Optimizer::AdamW;
    std::int64_t sequenceLength = 0;
    /// Mean over the lengths of samples, including both sides of an encoder-decoder; 0 if samples are not
    /// sequences.
    double tokensPerSample = 0.0;
    /// Result of model::stepFlops for the lengths of samples; nothing if no description provides them, or if
    /// a program in the worker's place may run another network.
    std::optional<double> flopsPerSample;
    /// Result of model::productPrecision.
    model::Precision productPrecision = model::Precision::Fp32;
    config::BatchPlan plan;
    /// Whether the plan is of a config's batch; otherwise the config contains a network alone, and its batch
    /// is unknown.
    bool hasBatch = true;
    search::Objective objective = search::Objective::Micro;
    QString strategy;
    double tolerance = 0.02;
    double targetConfidence = 0.95;
    double headroom = 0.08;
    /// Budget of the search: the number of trials, and the seconds during which it is under way, which are
    /// absent if time sets no bound. Exploration::extend() adds to it.
    int maxTrials = 64;
    std::optional<double> budgetSeconds;
    /// Whether the recommended size is to be measured once more in a fresh process.
    bool isVerified = false;
};

} // namespace batchpeak::engine
