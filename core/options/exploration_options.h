// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "model/run_kind.h"
#include "model/tuning.h"
#include "search/strategy.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::engine {

/// Stands for the interpreter that is found, where the path of one may stand.
inline const QString anyPython = QStringLiteral("python");

/// What an exploration may spend beside what it was given: one that has ended when it goes on, or one that is
/// under way.
struct ExtraBudget
{
    int trials = 20;
    std::optional<std::chrono::seconds> time;
};

/// What a person may ask of an exploration beside the config; whatever is absent follows the config or
/// the devices of this computer.
struct ExplorationOptions
{
    /// "cpu", "cuda", "cuda:N"; empty stands for every GPU, else the CPU.
    QStringList devices;
    std::optional<std::int64_t> memoryLimitBytes;
    /// Share of the limit kept free, 0..1.
    double headroom = 0.08;
    model::Phase phase = model::Phase::Train;
    /// Evaluation too, once training has ended; phase is Train then. An exploration itself is of phase alone:
    /// see PhaseSequence.
    bool bothPhases = false;
    std::optional<config::Setting> setting;
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    /// What is maximized; where absent, Effective for auto, else Micro.
    std::optional<search::Objective> objective;
    double tolerance = 0.02;
    double targetConfidence = 0.95;
    /// Share of certainty below which the size is not written into a config, 0..1; where absent as
    /// minConfidenceToWrite() has it.
    std::optional<double> minConfidence;
    QString strategy = QStringLiteral("posterior");
    int maxTrials = 64;
    std::optional<std::chrono::seconds> timeBudget;
    std::optional<std::int64_t> sequenceLength;
    /// Tokens of each of the texts that a sample is packed of; 0: it is one text.
    std::optional<std::int64_t> packedTextLength;
    /// Whether network and samples are made so small that a trial takes moments: config::smallerRunOf().
    bool shrinks = false;
    /// Lengths of samples as they occur; empty stands for the worst case, all as long as sequenceLength.
    std::vector<std::int64_t> sampleLengths;
    /// The file that they are from.
    QString sampleLengthsPath;
    std::optional<model::Precision> precision;
    std::optional<model::Optimizer> optimizer;
    std::optional<model::AdapterKind> adapter;
    std::optional<std::int64_t> adapterRank;
    std::optional<model::FrozenWeights> frozenWeights;
    std::optional<bool> activationCheckpointing;
    std::optional<std::int64_t> lossChunkRows;
    std::optional<double> maxGradientNorm;
    std::optional<model::Attention> attention;
    std::optional<bool> channelsLast;
    std::optional<bool> timesConvolutions;
    std::uint64_t seed = 1;
    /// Whether a trial that something disturbed is run once more, for surer times.
    bool repeatDisturbed = true;
    /// Whether the final size is measured once more, in a fresh process.
    bool verify = true;
    /// Whether an earlier exploration of the same run on the same devices is of no account.
    bool isFresh = false;
    /// Program and arguments that take the worker's place; empty stands for batchpeak-worker.
    QString workerCommand;
    /// The user's own Python, by the path of its interpreter, or "python" for the one that is found; empty
    /// where it takes no part. It runs the config's network as the user's trainer does, and is no other run.
    QString python;
    /// A person says so of the code that the config names, once, as it is now: no option that is kept, in
    /// settings or in a history, and none of explorationOptions().
    bool trustsCode = false;
    /// Words put before the worker command: "ssh host", "srun --gpus=1".
    QString launcher;
    /// How long a worker may take from its start to its first word. Without it a minute, and behind a
    /// launcher, which may queue, any time.
    std::optional<std::chrono::seconds> startTimeout;

    /// batchpeak-worker of this computer runs the trials.
    bool isOwnWorker() const { return python.isEmpty() && workerCommand.isEmpty() && launcher.isEmpty(); }
};

} // namespace batchpeak::engine
