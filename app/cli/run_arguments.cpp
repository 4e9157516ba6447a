// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_arguments.h"

#include "command.h"
#include "option_values.h"
#include "search/strategy.h"

#include <QFile>

#include <cmath>
#include <optional>

namespace batchpeak::cli {

namespace {

using engine::ExplorationOptions;

// A length within this is possible for some run; what is possible for this one, the config says.
constexpr std::int64_t largestSequence = std::int64_t{1} << 24;
constexpr std::int64_t mostTrials = 100000;

std::string headroomHelp(const ExplorationOptions& options)
{
    return "Share of the memory kept free (" + std::to_string(std::lround(options.headroom * 100)) + ")";
}

std::optional<search::Objective> objectiveFromText(const std::string& text)
{
    if (text == "micro")
        return search::Objective::Micro;
    if (text == "effective")
        return search::Objective::Effective;
    return std::nullopt;
}

std::string strategyChoices()
{
    std::string choices;
    for (const auto& name : search::strategyNames())
        choices += (choices.empty() ? "" : ", ") + std::string(name);
    return choices;
}

QString strategyFromText(const std::string& text)
{
    for (const auto& name : search::strategyNames()) {
        if (name == text)
            return QString::fromStdString(text);
    }
    throw UsageError("'" + text + "' is no strategy that is built in; there is: " + strategyChoices() + ".");
}

/// Which sizes are asked about.
void addQuestionOptions(Options& options, ExplorationOptions& o)
{
    options.addText("--phase", "train|eval", "Phase to explore (train)",
                    [&o](const std::string& text) { o.phase = wordFromText<model::Phase>(text); });
    options.addText("--setting", "explore|auto|N|null",
                    "What to find, instead of the config's micro_batch_size",
                    [&o](const std::string& text) { o.setting = settingFromText(text); });
    options.addText("--min", "N", "Smallest size to consider",
                    [&o](const std::string& text) { o.minimum = countFromText(text, 1, largestCount); });
    options.addText("--max", "N", "Largest size to consider",
                    [&o](const std::string& text) { o.maximum = countFromText(text, 1, largestCount); });
    options.addText("--objective", "micro|effective",
                    "Maximise the samples/s of a micro-batch, or of whole steps at the config's batch_size",
                    [&o](const std::string& text) {
                        o.objective = known(objectiveFromText(text), text, "micro, effective");
                    });
    options.addText("--tolerance", "PERCENT", "A size this close to the best is good enough (2)",
                    [&o](const std::string& text) { o.tolerance = shareFromPercentText(text, 0.1, 50); });
    options.addText("--confidence", "PERCENT", "Stop when this sure (95)", [&o](const std::string& text) {
        o.targetConfidence = shareFromPercentText(text, 1, 99);
    });
}

/// How long, and by which way.
void addSearchOptions(Options& options, ExplorationOptions& o)
{
    options.addText("--strategy", "NAME", "Way of searching: " + strategyChoices(),
                    [&o](const std::string& text) { o.strategy = strategyFromText(text); });
    options.addText("--max-trials", "N", "Stop after this many trials (64)", [&o](const std::string& text) {
        o.maxTrials = static_cast<int>(countFromText(text, 1, mostTrials));
    });
    options.addText("--time-budget", "TIME", "Stop after this time, as 10m or 1h30m",
                    [&o](const std::string& text) { o.timeBudget = durationFromText(text); });
    options.addFlag("--no-verify", "Do not measure the final size once more in a fresh process",
                    [&o] { o.verify = false; });
}

} // namespace

void addModelOption(Options& options, std::string& model)
{
    options.addText(
        "--model", "FILE|ID",
        "Network instead of the config's: a file that holds one, as a config.json, or an id of the "
        "Hugging Face hub",
        model);
}

engine::ConfigFile openConfig(const std::string& path, const std::string& model)
{
    const auto file = engine::ConfigFile::open(QString::fromStdString(path));
    return model.empty() ? file : file.withModel(QString::fromStdString(model));
}

void addRunOptions(Options& options, ExplorationOptions& o, const std::string& deviceHelp)
{
    options.addRepeatedText("--device", "cpu|cuda|cuda:N", deviceHelp,
                            [&o](const std::string& text) { o.devices << deviceFromText(text); });
    options.addText("--memory-limit", "SIZE", "Device memory to use at most, as 2GiB or 800MiB",
                    [&o](const std::string& text) { o.memoryLimitBytes = bytesFromText(text); });
    options.addText("--headroom", "PERCENT", headroomHelp(o),
                    [&o](const std::string& text) { o.headroom = shareFromPercentText(text, 0, 90); });
    options.addText(
        "--sequence-length", "N", "Tokens in a sample, instead of the config's",
        [&o](const std::string& text) { o.sequenceLength = countFromText(text, 1, largestSequence); });
    options.addText("--precision", "fp32|tf32|bf16|pure-bf16", "Instead of the config's",
                    [&o](const std::string& text) { o.precision = wordFromText<model::Precision>(text); });
    options.addText("--optimizer", "adamw|sgd", "Instead of the config's",
                    [&o](const std::string& text) { o.optimizer = wordFromText<model::Optimizer>(text); });
    options.addFlag("--activation-checkpointing",
                    "Keep the inputs of layers alone and run them again in backward",
                    [&o] { o.activationCheckpointing = true; });
    options.addText(
        "--loss-chunk", "ROWS", "Project so many tokens at a time onto the vocabulary, 0 for all of them",
        [&o](const std::string& text) { o.lossChunkRows = countFromText(text, 0, largestCount); });
    options.addText("--max-gradient-norm", "NORM", "Scale gradients down to this, 0 for never",
                    [&o](const std::string& text) { o.maxGradientNorm = numberFromText(text); });
    options.addText("--attention", "auto|flash|memory-efficient|cudnn|math",
                    "Kernel that computes attention, where the device has it",
                    [&o](const std::string& text) { o.attention = wordFromText<model::Attention>(text); });
    options.addFlag("--channels-last", "Keep images in memory channel by channel of a pixel",
                    [&o] { o.channelsLast = true; });
    options.addFlag("--cudnn-benchmark", "Let cuDNN time its algorithms for each new shape",
                    [&o] { o.timesConvolutions = true; });
    options.addText("--worker", "COMMAND", "Program that runs the network instead of batchpeak-worker",
                    [&o](const std::string& text) { o.workerCommand = QString::fromStdString(text); });
    options.addText("--launcher", "PREFIX", "Words before the worker's command, as \"ssh host\"",
                    [&o](const std::string& text) { o.launcher = QString::fromStdString(text); });
    options.addText("--seed", "N", "Seed of everything random (1)",
                    [&o](const std::string& text) { o.seed = seedFromText(text); });
}

void addExplorationOptions(Options& options, ExplorationOptions& o)
{
    addQuestionOptions(options, o);
    addRunOptions(options, o, "Device to run on, can be given again (every GPU, else the CPU)");
    // Of trials alone: a training run takes the lengths that its data has.
    options.addText("--sample-lengths", "FILE",
                    "Lengths of samples as they occur, one a line, instead of the longest for all",
                    [&o](const std::string& text) {
                        o.sampleLengths = sampleLengthsFromFile(QString::fromStdString(text));
                    });
    addSearchOptions(options, o);
}

void checkExplorationOptions(const ExplorationOptions& options)
{
    if (options.minimum && options.maximum && *options.minimum > *options.maximum) {
        throw UsageError("--min " + std::to_string(*options.minimum) + " is above --max " +
                         std::to_string(*options.maximum) + ", so there is no size to try; swap them.");
    }
}

void addEventsOption(Options& options, std::string& target)
{
    options.addText("--events", "FILE", "Write events as JSON Lines; - stands for stdout", target);
}

void openEvents(QFile& events, const std::string& target)
{
    const bool opened =
        target == "-" ? events.open(stdout, QIODevice::WriteOnly) : events.open(QIODevice::WriteOnly);
    if (!opened) {
        throw UsageError(QStringLiteral("%1 cannot be written: %2. Name another file for the events.")
                             .arg(events.fileName(), events.errorString())
                             .toStdString());
    }
}

void checkEvents(const QString& problem)
{
    if (!problem.isEmpty())
        throw UsageError(
            QStringLiteral("the events could not all be written: %1.").arg(problem).toStdString());
}

} // namespace batchpeak::cli
