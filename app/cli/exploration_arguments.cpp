// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_arguments.h"

#include "config_document.h"
#include "quantity_parsing.h"
#include "sample_lengths.h"
#include "strategy_factory.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <QRegularExpression>

#include <limits>
#include <optional>
#include <vector>

namespace batchpeak::cli {

namespace {

using engine::ExplorationOptions;
using Take = std::function<void(const std::string&)>;

// A count within these is possible for some run; what is possible for this one, the config says.
constexpr std::int64_t largestBatch = std::int64_t{1} << 40;
constexpr std::int64_t largestSequence = std::int64_t{1} << 24;
constexpr std::int64_t mostTrials = 100000;

template<typename Value>
Value known(const std::optional<Value>& value, const std::string& text, const std::string& choices)
{
    if (!value)
        throw UsageError("'" + text + "' is not one of " + choices + ".");
    return *value;
}

std::optional<search::Objective> objectiveFromText(const std::string& text)
{
    if (text == "micro")
        return search::Objective::Micro;
    if (text == "effective")
        return search::Objective::Effective;
    return std::nullopt;
}

QString deviceFromText(const std::string& text)
{
    static const QRegularExpression pattern(QStringLiteral("^(cpu|cuda(:[0-9]{1,4})?)$"));
    QString device = QString::fromStdString(text);
    if (!pattern.match(device).hasMatch())
        throw UsageError("--device: '" + text +
                         "' is no device; write cpu, cuda or cuda:N. 'batchpeak devices' lists them.");
    return device;
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

config::Setting settingFromText(const std::string& text)
{
    try {
        return config::settingFromText(text);
    } catch (const config::ConfigError& error) {
        throw UsageError(error.what());
    }
}

/// Which sizes are asked about.
void addQuestionOptions(CLI::App& app, ExplorationOptions& o)
{
    addTextOption(app, "--phase", "train|eval", "Phase to explore (train)", [&o](const std::string& text) {
        o.phase = known(model::phaseFromText(text), text, "train, eval");
    });
    addTextOption(app, "--setting", "explore|auto|N|null",
                  "What to find, instead of the config's micro_batch_size",
                  [&o](const std::string& text) { o.setting = settingFromText(text); });
    addTextOption(app, "--min", "N", "Smallest size to consider",
                  [&o](const std::string& text) { o.minimum = countFromText(text, 1, largestBatch); });
    addTextOption(app, "--max", "N", "Largest size to consider",
                  [&o](const std::string& text) { o.maximum = countFromText(text, 1, largestBatch); });
    addTextOption(app, "--objective", "micro|effective",
                  "Maximise the samples/s of a micro-batch, or of whole steps at the config's batch_size",
                  [&o](const std::string& text) {
                      o.objective = known(objectiveFromText(text), text, "micro, effective");
                  });
    addTextOption(app, "--tolerance", "PERCENT", "A size this close to the best is good enough (2)",
                  [&o](const std::string& text) { o.tolerance = shareFromPercentText(text, 0.1, 50); });
    addTextOption(app, "--confidence", "PERCENT", "Stop when this sure (95)",
                  [&o](const std::string& text) { o.targetConfidence = shareFromPercentText(text, 1, 99); });
}

void addDeviceOption(CLI::App& app, ExplorationOptions& o)
{
    const std::function<void(const std::vector<std::string>&)> takeAll =
        [&o](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
                o.devices << deviceFromText(text);
        };
    // One value for each time that it is given: else it would swallow the file after it.
    app.add_option_function("--device", takeAll,
                            "Device to run trials on, can be given again (every GPU, else the CPU)")
        ->allow_extra_args(false)
        ->type_name("cpu|cuda|cuda:N");
}

/// What one trial runs, and on what.
void addTrialOptions(CLI::App& app, ExplorationOptions& o)
{
    addDeviceOption(app, o);
    addTextOption(app, "--memory-limit", "SIZE", "Device memory to use at most, as 2GiB or 800MiB",
                  [&o](const std::string& text) { o.memoryLimitBytes = bytesFromText(text); });
    addTextOption(app, "--headroom", "PERCENT", "Share of the memory kept free (8)",
                  [&o](const std::string& text) { o.headroom = shareFromPercentText(text, 0, 90); });
    addTextOption(
        app, "--sequence-length", "N", "Tokens in a sample, instead of the config's",
        [&o](const std::string& text) { o.sequenceLength = countFromText(text, 1, largestSequence); });
    addTextOption(app, "--sample-lengths", "FILE",
                  "Lengths of samples as they occur, one a line, instead of the longest for all",
                  [&o](const std::string& text) {
                      o.sampleLengths = sampleLengthsFromFile(QString::fromStdString(text));
                  });
    addTextOption(app, "--precision", "fp32|tf32|bf16|pure-bf16", "Instead of the config's",
                  [&o](const std::string& text) {
                      o.precision =
                          known(model::precisionFromText(text), text, "fp32, tf32, bf16, pure-bf16");
                  });
    addTextOption(app, "--optimizer", "adamw|sgd", "Instead of the config's", [&o](const std::string& text) {
        o.optimizer = known(model::optimizerFromText(text), text, "adamw, sgd");
    });
    app.add_flag_callback(
        "--activation-checkpointing", [&o] { o.activationCheckpointing = true; },
        "Keep the inputs of layers alone and run them again in backward");
    addTextOption(app, "--loss-chunk", "ROWS",
                  "Project so many tokens at a time onto the vocabulary, 0 for all of them",
                  [&o](const std::string& text) { o.lossChunkRows = countFromText(text, 0, largestBatch); });
    addTextOption(app, "--max-gradient-norm", "NORM", "Scale gradients down to this, 0 for never",
                  [&o](const std::string& text) { o.maxGradientNorm = numberFromText(text); });
    addTextOption(app, "--worker", "COMMAND", "Program that runs the trials instead of batchpeak-worker",
                  [&o](const std::string& text) { o.workerCommand = QString::fromStdString(text); });
    addTextOption(app, "--launcher", "PREFIX", "Words before the worker's command, as \"ssh host\"",
                  [&o](const std::string& text) { o.launcher = QString::fromStdString(text); });
}

/// How long, and by which way.
void addSearchOptions(CLI::App& app, ExplorationOptions& o)
{
    addTextOption(app, "--strategy", "NAME", "Way of searching: " + strategyChoices(),
                  [&o](const std::string& text) { o.strategy = strategyFromText(text); });
    addTextOption(app, "--max-trials", "N", "Stop after this many trials (40)",
                  [&o](const std::string& text) {
                      o.maxTrials = static_cast<int>(countFromText(text, 1, mostTrials));
                  });
    addTextOption(app, "--time-budget", "TIME", "Stop after this time, as 10m or 1h30m",
                  [&o](const std::string& text) { o.timeBudget = durationFromText(text); });
    app.add_flag_callback(
        "--no-verify", [&o] { o.verify = false; },
        "Do not measure the final size once more in a fresh process");
    addTextOption(app, "--seed", "N", "Seed of everything random (1)",
                  [&o](const std::string& text) { o.seed = seedFromText(text); });
}

} // namespace

CLI::Option* addTextOption(CLI::App& app, const std::string& name, const std::string& valueName,
                           const std::string& help, const Take& take)
{
    const Take namingTheOption = [name, take](const std::string& text) {
        try {
            take(text);
        } catch (const UsageError& error) {
            throw UsageError(name + ": " + error.what());
        }
    };
    return app.add_option_function(name, namingTheOption, help)->type_name(valueName);
}

void addExplorationOptions(CLI::App& app, ExplorationOptions& options, const std::string& group)
{
    const auto before = app.get_options().size();
    addQuestionOptions(app, options);
    addTrialOptions(app, options);
    addSearchOptions(app, options);
    const auto all = app.get_options();
    for (std::size_t index = before; index < all.size(); ++index)
        all[index]->group(group);
}

void checkExplorationOptions(const ExplorationOptions& options)
{
    if (options.minimum && options.maximum && *options.minimum > *options.maximum) {
        throw UsageError("--min " + std::to_string(*options.minimum) + " is above --max " +
                         std::to_string(*options.maximum) + ", so there is no size to try; swap them.");
    }
}

} // namespace batchpeak::cli
