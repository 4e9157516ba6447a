// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_arguments.h"

#include "command.h"
#include "options/option_values.h"
#include "run_arguments.h"
#include "training/confirmation_run.h"
#include "training/training_option_table.h"

#include <string>
#include <vector>

namespace batchpeak::cli {

namespace {

using training::TrainingOptions;

constexpr std::int64_t maxConfirmSteps = 100'000;

void addSubject(Options& options, TrainingArguments& arguments, training::TrainingOption::Subject subject)
{
    for (const auto& option : training::trainingOptionTable()) {
        if (option.subject != subject)
            continue;
        const auto take = [&arguments, &option](const std::string& text) {
            option.take(arguments.options, text);
            if (option.name == "--setting")
                arguments.asksForASearch = arguments.options.halvesAutomatically && text != "auto-halving";
        };
        if (option.isSwitch())
            options.addFlag(option.name, option.help, [take](bool isOn) { take(isOn ? "on" : "off"); });
        else
            options.addText(
                option.name, option.values,
                option.defaults.empty() ? option.help : option.help + " (" + option.defaults + ")", take);
    }
}

void addConfirmSteps(Options& options, const std::string& name, TrainingArguments& arguments)
{
    options.addText(
        name, "N", "Timed steps per size (" + std::to_string(training::defaultConfirmationSteps) + ")",
        [&arguments](const std::string& text) {
            arguments.confirmSteps = static_cast<int>(engine::countFromText(text, 1, maxConfirmSteps));
        });
}

void addConfirmOptions(Options& options, TrainingArguments& arguments)
{
    options.addFlag(
        "--confirm",
        "Run full steps at the size that the last exploration recommends and at its runner-up, and "
        "compare with what it predicts; as batchpeak confirm does",
        arguments.confirms);
    addConfirmSteps(options, "--confirm-steps", arguments);
}

/// Options of an exploration that users may try here.
void addRefusedOptions(Options& options)
{
    const auto refuse = [&options](const std::string& name, const std::string& sentence) {
        options.addText(name, "", "", [sentence](const std::string&) { throw UsageError(sentence); });
    };
    refuse("--sample-lengths", "samples of a training run are as long as its data has them, and filled up to "
                               "the sequence length; leave it out.");
    refuse("--phase", "a training run trains, and evaluates with --evaluate-every; leave it out.");
}

/// Returns the first given option that has no meaning for a confirmation run; empty for none.
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
        throw UsageError("--confirm-steps sets how long --confirm measures; add --confirm.");
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
    using Subject = training::TrainingOption::Subject;
    options.beginGroup("Training");
    addSubject(options, arguments, Subject::Length);
    options.beginGroup("Micro-batch size");
    addSubject(options, arguments, Subject::Size);
    addConfirmOptions(options, arguments);
    options.beginGroup("Evaluation and checkpoints");
    addSubject(options, arguments, Subject::Keeping);
    options.beginGroup("Network and device");
    addRunOptions(options, arguments.options.run, training::trainingOption("--device").help);
    options.beginGroup(Options::hidden);
    addRefusedOptions(options);
    options.endGroup();
}

void addConfirmationOptions(Options& options, TrainingArguments& arguments)
{
    addConfirmSteps(options, "--steps", arguments);
    options.beginGroup("Network and device");
    addRunOptions(options, arguments.options.run, training::trainingOption("--device").help);
    options.endGroup();
}

void checkTrainingArguments(const TrainingArguments& arguments)
{
    training::checkTrainingOptions(arguments.options);
    checkConfirming(arguments);
}

} // namespace batchpeak::cli
