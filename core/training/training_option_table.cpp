// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_option_table.h"

#include "options/option_kinds.h"
#include "options/option_table.h"
#include "training_snapshot.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <utility>
#include <variant>

namespace batchpeak::training {

namespace {

using engine::countFromText;
using engine::option;
using engine::OptionTexts;
using engine::OptionWords;
using engine::switchOption;
using engine::textOption;
using engine::textsOf;
using engine::UsageError;
using Asked = engine::Option<TrainingOptions>;
using Options = TrainingOptions;
using Subject = TrainingOption::Subject;

// Far beyond any run, and far from overflow when multiplied by a batch.
constexpr std::int64_t maxSteps = 1'000'000'000;
// Largest share that may be held out; something must be left to train on.
constexpr double largestShare = 0.99;

void takeSetting(Options& options, const std::string& text)
{
    if (text == "auto-halving") {
        options.run.setting = config::Auto{};
        options.halvesAutomatically = true;
        return;
    }
    options.run.setting = engine::settingFromText(text);
    // A training does not search for the size, so "auto" and "explore" mean halving.
    options.halvesAutomatically = std::holds_alternative<config::Auto>(*options.run.setting) ||
                                  std::holds_alternative<config::Explore>(*options.run.setting);
}

void takeData(Options& options, const std::string& text)
{
    const QFileInfo info(QString::fromStdString(text));
    if (!info.exists())
        throw UsageError("there is no " + text + "; name a text file, or a folder of .npy files of tokens.");
    if (!info.isReadable())
        throw UsageError(text + " may not be read; change its permissions, or name other data.");
    options.data.kind = info.isDir() ? trial::DataKind::Arrays : trial::DataKind::Text;
    options.data.path = info.absoluteFilePath().toStdString();
}

/// Parses a number as in axolotl's val_set_size and LLaMA-Factory's val_size: below 1 it is a share, else a
/// number of samples.
trial::HeldOut heldOutFromText(const std::string& text)
{
    if (text.ends_with('%'))
        return {.share = engine::shareFromPercentText(text, 0.001, 100.0 * largestShare)};
    const bool isShare = text.find('.') != std::string::npos || text.find('e') != std::string::npos;
    if (!isShare)
        return {.samples = countFromText(text, 1, engine::largestCount)};
    const double share = engine::positiveNumberFromText(text);
    if (share > largestShare)
        throw engine::ValueError(text,
                                 QT_TRANSLATE_NOOP("batchpeak::engine::OptionValues",
                                                   "must be a share up to %1, or a whole number of samples"),
                                 {largestShare});
    return {.share = share};
}

OptionTexts heldOutTexts(const trial::HeldOut& heldOut)
{
    if (heldOut.samples > 0)
        return {engine::countText(heldOut.samples)};
    return heldOut.share > 0.0 ? OptionTexts{engine::shareToPercentText(heldOut.share) + "%"} : OptionTexts{};
}

/// Makes an option with a number above 0, which is absent by default.
Asked countOption(OptionWords words, std::optional<std::int64_t> Options::*member)
{
    return engine::countOption(std::move(words), member, 1, maxSteps);
}

/// Makes an option with a number above 0, where 0 stands for no value.
Asked countOption(OptionWords words, std::int64_t Options::*member)
{
    Asked made{std::move(words)};
    made.take = [=](Options& o, const std::string& text) { o.*member = countFromText(text, 1, maxSteps); };
    made.texts = [=](const Options& o) {
        return o.*member > 0 ? OptionTexts{engine::countText(o.*member)} : OptionTexts{};
    };
    made.clear = [=](Options& o) { o.*member = 0; };
    return made;
}

Asked dataOption()
{
    Asked data{{"--data", "PATH", "A file, whose bytes are the tokens, or a folder of .npy files of tokens",
                "synthetic samples"}};
    data.take = takeData;
    data.texts = [](const Options& o) {
        return o.data.kind == trial::DataKind::Synthetic ? OptionTexts{} : OptionTexts{o.data.path};
    };
    data.clear = [](Options& o) {
        o.data.kind = trial::DataKind::Synthetic;
        o.data.path.clear();
    };
    return data;
}

Asked samplesOption()
{
    Asked samples{{"--samples", "N", "Number of synthetic samples, including those held out", "16 batches"}};
    samples.take = [](Options& o, const std::string& text) {
        o.data.samples = countFromText(text, 1, engine::largestCount);
    };
    samples.texts = [](const Options& o) {
        return o.data.samples > 0 ? OptionTexts{engine::countText(o.data.samples)} : OptionTexts{};
    };
    samples.clear = [](Options& o) { o.data.samples = 0; };
    return samples;
}

Asked settingOption()
{
    Asked setting{{"--setting", "auto-halving|N|null",
                   "Micro-batch size instead of the config's: start at the per-device batch and halve when "
                   "memory runs out, a number, or the batch whole"}};
    setting.take = takeSetting;
    setting.texts = [](const Options& o) {
        if (o.halvesAutomatically)
            return OptionTexts{"auto-halving"};
        return textsOf(o.run.setting, [](const config::Setting& value) { return config::toText(value); });
    };
    setting.clear = [](Options& o) {
        o.run.setting.reset();
        o.halvesAutomatically = false;
    };
    return setting;
}

Asked maximumOption()
{
    const auto read = [](const std::string& text) {
        return engine::known(maximumWayFromText(QString::fromStdString(text)), text,
                             "halving, binary, predict");
    };
    const auto write = [](MaximumWay way) { return toText(way).toStdString(); };
    return option({"--maximum", "halving|binary|predict",
                   "Find the largest size that fits first, in one of torchtune's ways, and train with it"},
                  &Options::maximum, read, write);
}

Asked splitOption()
{
    Asked split{
        {"--eval-split", "SHARE|N",
         "Hold samples out of training and evaluate on them: a share, as 0.05 or 5%, or so many; after each "
         "epoch, without --evaluate-every"}};
    split.take = [](Options& o, const std::string& text) { o.data.heldOut = heldOutFromText(text); };
    split.texts = [](const Options& o) { return heldOutTexts(o.data.heldOut); };
    split.clear = [](Options& o) { o.data.heldOut = {}; };
    return split;
}

/// Makes an option of a training from one of an exploration.
Asked runOption(const engine::ExplorationOption& option)
{
    Asked made{option};
    // An exploration may have several devices, but a training runs on one.
    if (option.name == "--device")
        made.help = "Device to train on (a GPU, else the CPU)";
    made.isRepeated = option.isRepeated;
    made.take = [&option](Options& o, const std::string& text) { option.take(o.run, text); };
    made.texts = [&option](const Options& o) { return option.texts(o.run); };
    made.clear = [&option](Options& o) {
        option.clear(o.run);
        // Some defaults differ, such as the headroom.
        for (const std::string& text : option.texts(Options().run))
            option.take(o.run, text);
    };
    return made;
}

std::vector<Asked> lengthOptions()
{
    return {countOption({"--steps", "N", "Optimizer steps of the whole run"}, &Options::steps),
            countOption({"--epochs", "N", "Passes over the data, unless --steps ends the run earlier", "1"},
                        &Options::epochs),
            dataOption(),
            samplesOption(),
            option({"--learning-rate", "RATE", "Learning rate, instead of the config's", "3e-4"},
                   &Options::learningRate, engine::positiveNumberFromText, engine::numberToText),
            engine::wordOption(
                "--weight-by",
                "Weight of a micro-batch in the loss: its samples, or its tokens that count in the loss",
                &Options::weighting)};
}

std::vector<Asked> sizeOptions()
{
    return {
        settingOption(), maximumOption(),
        switchOption("--exact", "Do not round that size down to a power of two", &Options::exact),
        textOption({"--grow", "EXPRESSION|FILE.py",
                    "By how many samples the micro-batch grows before an epoch, and the batch with it: an "
                    "expression of epoch and current_batch_size, or a Python file with "
                    "batch_increase_function"},
                   &Options::growth),
        switchOption("--strict",
                     "Refuse a batch size that is not a multiple of micro-batch size times devices",
                     &Options::strict)};
}

std::vector<Asked> keepingOptions()
{
    return {
        countOption({"--evaluate-every", "STEPS", "Evaluate every so many steps"}, &Options::evaluateEvery),
        splitOption(),
        countOption({"--evaluation-batches", "N", "Maximum batches per evaluation",
                     "all that is held out, or " + std::to_string(defaultEvaluationBatches)},
                    &Options::evaluationBatches),
        textOption({"--checkpoint", "DIR", "Folder for checkpoints; one is written at the end"},
                   &Options::checkpointFolder),
        countOption({"--checkpoint-every", "STEPS", "Also write one every so many steps"},
                    &Options::checkpointEvery),
        textOption({"--resume", "DIR", "Resume from the newest checkpoint in this folder"},
                   &Options::resumeFolder)};
}

std::vector<Asked> runOptions()
{
    std::vector<Asked> options;
    for (const engine::ExplorationOption& option : engine::explorationOptions()) {
        if (option.subject == engine::ExplorationOption::Subject::Run)
            options.push_back(runOption(option));
    }
    return options;
}

/// Whether the batch grows. If it does, it is bounded by the largest size that fits, and begins at the size
/// that is set.
bool grows(const TrainingOptions& options, const config::TrainingSettings& settings)
{
    return !options.growth.isEmpty() || !settings.batchIncreaseFunction.empty();
}

bool findsMaximum(const TrainingOptions& options, const config::TrainingSettings& settings)
{
    return options.maximum || settings.usesMaximumBatchSize;
}

} // namespace

const std::vector<TrainingOption>& trainingOptionTable()
{
    static const std::vector<TrainingOption> table = [] {
        std::vector<TrainingOption> options;
        const auto add = [&options](Subject subject, std::vector<Asked> of) {
            for (Asked& option : of)
                options.push_back({std::move(option), subject});
        };
        add(Subject::Length, lengthOptions());
        add(Subject::Size, sizeOptions());
        add(Subject::Keeping, keepingOptions());
        add(Subject::Run, runOptions());
        return options;
    }();
    return table;
}

const TrainingOption& trainingOption(std::string_view name)
{
    return engine::optionNamed(trainingOptionTable(), name);
}

bool playsAPart(std::string_view option, const TrainingOptions& options,
                const config::TrainingSettings& settings)
{
    if (option == "--exact")
        return findsMaximum(options, settings) || grows(options, settings);
    if (option == "--setting")
        return !findsMaximum(options, settings) || grows(options, settings);
    if (option == "--samples")
        return options.data.kind == trial::DataKind::Synthetic;
    if (option == "--checkpoint-every")
        return !options.checkpointFolder.isEmpty();
    if (option == "--evaluation-batches")
        return options.evaluateEvery > 0 || !heldOutTexts(options.data.heldOut).empty();
    return true;
}

void checkTrainingOptions(const TrainingOptions& o)
{
    if (o.run.devices.size() > 1) {
        throw UsageError("a training run takes one device, and --device was given " +
                         std::to_string(o.run.devices.size()) + " times; name the one to train on.");
    }
    if (o.data.kind != trial::DataKind::Synthetic && o.data.samples > 0)
        throw UsageError("--samples counts synthetic samples, and --data brings its own; leave out either.");
    if (o.data.kind != trial::DataKind::Synthetic && o.run.shrinks) {
        throw UsageError("--shrink leaves the network a few tokens of its vocabulary, and --data brings them "
                         "all; leave out either.");
    }
    if (o.run.packedTextLength)
        throw UsageError("training packs no texts into a sample; leave out --packed-text-length.");
    if (o.checkpointEvery > 0 && o.checkpointFolder.isEmpty())
        throw UsageError("--checkpoint-every needs a folder for the checkpoints; add --checkpoint DIR.");
}

void checkAgainstConfig(const TrainingOptions& options, const config::TrainingSettings& settings)
{
    if (options.exact && !playsAPart("--exact", options, settings)) {
        throw UsageError("--exact keeps the largest size that fits as it is, and nothing looks for that "
                         "size; add --maximum halving, binary or predict.");
    }
    if (options.maximum && options.run.setting && !grows(options, settings)) {
        const std::string setting =
            options.halvesAutomatically ? "auto-halving" : config::toText(*options.run.setting);
        throw UsageError("--setting " + setting +
                         " says which size to train with, and --maximum looks for one; leave out either.");
    }
}

} // namespace batchpeak::training
