// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_arguments.h"

#include "known_word.h"
#include "quantity_parsing.h"
#include "run_arguments.h"
#include "sample_lengths.h"
#include "search/strategy.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <optional>

namespace batchpeak::cli {

namespace {

using engine::ExplorationOptions;

constexpr std::int64_t mostTrials = 100000;

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
void addQuestionOptions(CLI::App& app, ExplorationOptions& o)
{
    addTextOption(app, "--phase", "train|eval", "Phase to explore (train)", [&o](const std::string& text) {
        o.phase = known(model::phaseFromText(text), text, "train, eval");
    });
    addTextOption(app, "--setting", "explore|auto|N|null",
                  "What to find, instead of the config's micro_batch_size",
                  [&o](const std::string& text) { o.setting = settingFromArgument(text); });
    addTextOption(app, "--min", "N", "Smallest size to consider",
                  [&o](const std::string& text) { o.minimum = countFromText(text, 1, largestCount); });
    addTextOption(app, "--max", "N", "Largest size to consider",
                  [&o](const std::string& text) { o.maximum = countFromText(text, 1, largestCount); });
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

/// Of trials alone: a training run takes the lengths that its data has.
void addSampleLengthsOption(CLI::App& app, ExplorationOptions& o)
{
    addTextOption(app, "--sample-lengths", "FILE",
                  "Lengths of samples as they occur, one a line, instead of the longest for all",
                  [&o](const std::string& text) {
                      o.sampleLengths = sampleLengthsFromFile(QString::fromStdString(text));
                  });
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
}

} // namespace

void addExplorationOptions(CLI::App& app, ExplorationOptions& options, const std::string& group)
{
    const auto before = app.get_options().size();
    addQuestionOptions(app, options);
    addRunOptions(app, options);
    addSampleLengthsOption(app, options);
    addSearchOptions(app, options);
    groupOptionsFrom(app, before, group);
}

void checkExplorationOptions(const ExplorationOptions& options)
{
    if (options.minimum && options.maximum && *options.minimum > *options.maximum) {
        throw UsageError("--min " + std::to_string(*options.minimum) + " is above --max " +
                         std::to_string(*options.maximum) + ", so there is no size to try; swap them.");
    }
}

} // namespace batchpeak::cli
