// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_arguments.h"

#include "command.h"
#include "engine/option_values.h"
#include "run_arguments.h"
#include "training/confirmation_run.h"
#include "training/training_snapshot.h"

#include <QFileInfo>

#include <string>
#include <variant>
#include <vector>

namespace batchpeak::cli {

namespace {

using training::TrainingOptions;

// Far beyond any run, and far from overflow when multiplied by a batch.
constexpr std::int64_t mostSteps = 1'000'000'000;
constexpr std::int64_t mostConfirmSteps = 100'000;

void takeSetting(const std::string& text, TrainingArguments& arguments)
{
    TrainingOptions& options = arguments.options;
    options.halvesAutomatically = text == "auto-halving";
    options.run.setting =
        options.halvesAutomatically ? config::Setting(config::Auto{}) : engine::settingFromText(text);
    arguments.asksForASearch =
        !options.halvesAutomatically && (std::holds_alternative<config::Auto>(*options.run.setting) ||
                                         std::holds_alternative<config::Explore>(*options.run.setting));
    options.halvesAutomatically = options.halvesAutomatically || arguments.asksForASearch;
}

void takeData(const std::string& text, trial::DataChoice& data)
{
    const QFileInfo info(QString::fromStdString(text));
    if (!info.exists()) {
        throw UsageError("there is no " + text + "; name a text file, or a folder of .npy files of tokens.");
    }
    if (!info.isReadable())
        throw UsageError(text + " may not be read; change its permissions, or name other data.");
    data.kind = info.isDir() ? trial::DataKind::Arrays : trial::DataKind::Text;
    data.path = info.absoluteFilePath().toStdString();
}

/// As axolotl's val_set_size and LLaMA-Factory's val_size: below 1 it is a share, else so many samples.
trial::HeldOut heldOutFromText(const std::string& text)
{
    constexpr double largestShare = 0.99;
    if (text.ends_with('%'))
        return {.share = engine::shareFromPercentText(text, 0.001, 100.0 * largestShare)};
    const bool isShare = text.find('.') != std::string::npos || text.find('e') != std::string::npos;
    if (!isShare)
        return {.samples = engine::countFromText(text, 1, engine::largestCount)};
    const double share = engine::positiveNumberFromText(text);
    if (share > largestShare)
        throw UsageError("'" + text +
                         "' is no share to hold out; write one from 0 to 0.99, as 0.05, or a whole "
                         "number of samples.");
    return {.share = share};
}

/// How long, and with which samples.
void addLengthOptions(Options& options, TrainingOptions& o)
{
    options.addText("--steps", "N", "Optimizer steps of the whole run",
                    [&o](const std::string& text) { o.steps = engine::countFromText(text, 1, mostSteps); });
    options.addText("--epochs", "N", "Passes over the data, unless --steps ends it before (1)",
                    [&o](const std::string& text) { o.epochs = engine::countFromText(text, 1, mostSteps); });
    options.addText(
        "--data", "PATH",
        "A file, whose bytes are the tokens, or a folder of .npy files of tokens (synthetic samples)",
        [&o](const std::string& text) { takeData(text, o.data); });
    options.addText("--samples", "N", "Synthetic samples in an epoch (16 batches)",
                    [&o](const std::string& text) {
                        o.data.samples = engine::countFromText(text, 1, engine::largestCount);
                    });
    options.addText("--learning-rate", "RATE", "Instead of the config's (3e-4)",
                    [&o](const std::string& text) { o.learningRate = engine::positiveNumberFromText(text); });
    options.addText(
        "--weight-by", "samples|tokens",
        "What a micro-batch counts by in the loss: its samples, or the tokens that have a loss",
        [&o](const std::string& text) { o.weighting = engine::wordFromText<trial::LossWeighting>(text); });
}

/// Which micro-batch size, and what becomes of it.
void addSizeOptions(Options& options, TrainingArguments& arguments)
{
    TrainingOptions& o = arguments.options;
    options.addText("--setting", "auto-halving|N|null",
                    "Micro-batch size instead of the config's: start at the per-device batch and halve when "
                    "memory runs out, a number, or the batch whole",
                    [&arguments](const std::string& text) { takeSetting(text, arguments); });
    options.addText("--maximum", "halving|binary|predict",
                    "Find the largest size that fits first, in one of torchtune's ways, and train with it",
                    [&o](const std::string& text) {
                        o.maximum = engine::known(training::maximumWayFromText(QString::fromStdString(text)),
                                                  text, "halving, binary, predict");
                    });
    options.addFlag("--exact", "Do not round that size down to a power of two", o.exact);
    options.addText("--grow", "EXPRESSION|FILE.py",
                    "By how many samples the micro-batch grows before an epoch, and the batch with it: an "
                    "expression of epoch and "
                    "current_batch_size, or a Python file with batch_increase_function",
                    [&o](const std::string& text) { o.growth = QString::fromStdString(text); });
    options.addFlag("--strict", "Refuse a batch that is no multiple of micro-batch size and devices",
                    o.strict);
    options.addFlag(
        "--confirm",
        "Run full steps at the size that the last exploration recommends and at its runner-up, and "
        "compare with what it predicts",
        arguments.confirms);
    options.addText(
        "--confirm-steps", "N",
        "Timed steps of each of the two (" + std::to_string(training::usualConfirmationSteps) + ")",
        [&arguments](const std::string& text) {
            arguments.confirmSteps = static_cast<int>(engine::countFromText(text, 1, mostConfirmSteps));
        });
}

/// What is done beside the steps.
void addKeepingOptions(Options& options, TrainingOptions& o)
{
    options.addText(
        "--evaluate-every", "STEPS", "Evaluate after so many steps",
        [&o](const std::string& text) { o.evaluateEvery = engine::countFromText(text, 1, mostSteps); });
    options.addText("--eval-split", "SHARE|N",
                    "Hold samples out of training and evaluate on them: a share, as 0.05 or 5%, or so many; "
                    "after each epoch, without --evaluate-every",
                    [&o](const std::string& text) { o.data.heldOut = heldOutFromText(text); });
    options.addText(
        "--evaluation-batches", "N",
        "Batches of one evaluation at most (all that is held out, or " +
            std::to_string(training::usualEvaluationBatches) + ")",
        [&o](const std::string& text) { o.evaluationBatches = engine::countFromText(text, 1, mostSteps); });
    options.addText("--checkpoint", "DIR", "Folder for checkpoints; one is written at the end",
                    [&o](const std::string& text) { o.checkpointFolder = QString::fromStdString(text); });
    options.addText(
        "--checkpoint-every", "STEPS", "And one after so many steps",
        [&o](const std::string& text) { o.checkpointEvery = engine::countFromText(text, 1, mostSteps); });
    options.addText("--resume", "DIR", "Go on from the newest checkpoint in this folder",
                    [&o](const std::string& text) { o.resumeFolder = QString::fromStdString(text); });
}

/// Options of an exploration that somebody may try here.
void addRefusedOptions(Options& options)
{
    const auto refuse = [&options](const std::string& name, const std::string& sentence) {
        options.addText(name, "", "", [sentence](const std::string&) { throw UsageError(sentence); });
    };
    refuse("--sample-lengths", "samples of a training run are as long as its data has them, and filled up to "
                               "the sequence length; leave it out.");
    refuse("--phase", "a training run trains, and evaluates with --evaluate-every; leave it out.");
}

/// The first option given that means nothing to a confirm run; empty for none.
std::string notForConfirming(const TrainingArguments& arguments)
{
    const TrainingOptions& o = arguments.options;
    const std::vector<std::pair<bool, std::string>> given{{o.steps.has_value(), "--steps"},
                                                          {o.epochs.has_value(), "--epochs"},
                                                          {o.run.setting.has_value(), "--setting"},
                                                          {o.maximum.has_value(), "--maximum"},
                                                          {o.exact, "--exact"},
                                                          {!o.growth.isEmpty(), "--grow"},
                                                          {o.strict, "--strict"},
                                                          {o.evaluateEvery > 0, "--evaluate-every"},
                                                          {o.data.heldOut.isAsked(), "--eval-split"},
                                                          {!o.checkpointFolder.isEmpty(), "--checkpoint"},
                                                          {!o.resumeFolder.isEmpty(), "--resume"}};
    for (const auto& [isGiven, name] : given) {
        if (isGiven)
            return name;
    }
    return {};
}

void checkConfirming(const TrainingArguments& arguments)
{
    if (!arguments.confirms && arguments.confirmSteps)
        throw UsageError("--confirm-steps says how long --confirm measures; add --confirm.");
    const std::string surplus = arguments.confirms ? notForConfirming(arguments) : std::string();
    if (!surplus.empty()) {
        throw UsageError("--confirm takes its sizes from the last exploration and its length from "
                         "--confirm-steps; leave out " +
                         surplus + ".");
    }
}

} // namespace

void addTrainingOptions(Options& options, TrainingArguments& arguments)
{
    options.beginGroup("Training");
    addLengthOptions(options, arguments.options);
    options.beginGroup("Micro-batch size");
    addSizeOptions(options, arguments);
    options.beginGroup("Evaluation and checkpoints");
    addKeepingOptions(options, arguments.options);
    options.beginGroup("Network and device");
    addRunOptions(options, arguments.options.run, "Device to train on (a GPU, else the CPU)");
    options.beginGroup(Options::hidden);
    addRefusedOptions(options);
    options.endGroup();
}

void checkTrainingOptions(const TrainingArguments& arguments)
{
    const TrainingOptions& o = arguments.options;
    if (o.run.devices.size() > 1) {
        throw UsageError("a training run takes one device, and --device was given " +
                         std::to_string(o.run.devices.size()) + " times; name the one to train on.");
    }
    if (o.data.kind != trial::DataKind::Synthetic && o.data.samples > 0)
        throw UsageError("--samples counts synthetic samples, and --data brings its own; leave out either.");
    if (o.checkpointEvery > 0 && o.checkpointFolder.isEmpty())
        throw UsageError("--checkpoint-every needs a folder for the checkpoints; add --checkpoint DIR.");
    checkConfirming(arguments);
}

void checkAgainstConfig(const TrainingOptions& options, const config::TrainingSettings& settings)
{
    // A batch that grows is bounded by the largest size that fits, and begins at the one that is set.
    const bool grows = !options.growth.isEmpty() || !settings.batchIncreaseFunction.empty();
    if (options.exact && !options.maximum && !settings.usesMaximumBatchSize && !grows) {
        throw UsageError("--exact keeps the largest size that fits as it is, and nothing looks for that "
                         "size; add --maximum halving, binary or predict.");
    }
    if (options.maximum && options.run.setting && !grows) {
        const std::string setting =
            options.halvesAutomatically ? "auto-halving" : config::toText(*options.run.setting);
        throw UsageError("--setting " + setting +
                         " says which size to train with, and --maximum looks for one; leave out either.");
    }
}

} // namespace batchpeak::cli
