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

/// Stands in place of a path for the interpreter that is found.
inline const QString anyPython = QStringLiteral("python");

/// Additional budget of an exploration, for one that has ended and continues, or for one that is under way.
struct ExtraBudget
{
    int trials = 20;
    std::optional<std::chrono::seconds> time;
};

/// What a person may ask of an exploration in addition to the config. Absent values follow the config or the
/// devices of this computer.
struct ExplorationOptions
{
    /// "cpu", "cuda", "cuda:N"; empty stands for every GPU, else the CPU.
    QStringList devices;
    std::optional<std::int64_t> memoryLimitBytes;
    /// Share of the limit kept free, 0..1.
    double headroom = 0.08;
    model::Phase phase = model::Phase::Train;
    /// Whether evaluation is explored too, once training has ended; phase is then Train. An exploration
    /// itself only has the phase: see PhaseSequence.
    bool bothPhases = false;
    std::optional<config::Setting> setting;
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    /// What is maximized; if absent, Effective for auto, else Micro.
    std::optional<search::Objective> objective;
    double tolerance = 0.02;
    double targetConfidence = 0.95;
    /// Confidence below which the size is not written into a config, 0..1; if absent, minConfidenceToWrite()
    /// decides.
    std::optional<double> minConfidence;
    QString strategy = QStringLiteral("posterior");
    int maxTrials = 64;
    std::optional<std::chrono::seconds> timeBudget;
    std::optional<std::int64_t> sequenceLength;
    /// Number of tokens of each text that a sample is packed from; 0: the sample is one text.
    std::optional<std::int64_t> packedTextLength;
    /// Whether network and samples are made so small that a trial takes only moments: config::smallerRunOf().
    bool shrinks = false;
    /// Lengths of samples as they occur; empty stands for the worst case, all as long as sequenceLength.
    std::vector<std::int64_t> sampleLengths;
    /// File that the sample lengths are from.
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
    /// Whether a disturbed trial is run once more, for more reliable times.
    bool repeatDisturbed = true;
    /// Whether the final size is measured once more, in a fresh process.
    bool verify = true;
    /// Whether an earlier exploration of the same run on the same devices is ignored.
    bool isFresh = false;
    /// Program and arguments that replace the worker; empty stands for batchpeak-worker.
    QString workerCommand;
    /// The user's own Python: the path of its interpreter, or "python" for the one that is found; empty if it
    /// is not used. It runs the config's network as the user's trainer does, and does not count as another
    /// run.
    QString python;
    /// Number of processes that take each step together on a computer, as torchrun starts them, in the user's
    /// own Python; and number of nodes of a Slurm allocation that do. If absent, every device runs trials by
    /// itself.
    std::optional<std::int64_t> processesPerNode;
    std::optional<std::int64_t> nodes;
    /// Whether the person trusts the code that the config names, once and in its present state. It is not a
    /// stored option, neither in settings nor in a history, and not one of explorationOptions().
    bool trustsCode = false;
    /// Texts of the places where workers are started, as placeFromText() reads them; empty for the devices of
    /// this computer.
    QStringList places;
    /// How long a worker may take from its start to its first message. If absent: one minute, or no limit at
    /// a place, which may queue.
    std::optional<std::chrono::seconds> startTimeout;
    /// How long to try to reach a place again after its connection was lost.
    std::chrono::seconds reconnectFor = std::chrono::minutes(10);

    /// Whether trials run on devices of this computer.
    bool isHere() const { return places.isEmpty(); }

    /// Number of processes that take each step together.
    std::int64_t processes() const { return processesPerNode.value_or(1) * nodes.value_or(1); }

    /// Whether batchpeak-worker on this computer runs the trials.
    bool isOwnWorker() const { return python.isEmpty() && workerCommand.isEmpty() && isHere(); }
};

} // namespace batchpeak::engine
