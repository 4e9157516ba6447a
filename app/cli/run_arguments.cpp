// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_arguments.h"

#include "config/config_document.h"
#include "known_word.h"
#include "quantity_parsing.h"
#include "usage_error.h"

#include <CLI/App.hpp>

#include <QRegularExpression>

#include <cmath>
#include <vector>

namespace batchpeak::cli {

namespace {

using engine::ExplorationOptions;
using Take = std::function<void(const std::string&)>;

// A count within this is possible for some run; what is possible for this one, the config says.
constexpr std::int64_t largestSequence = std::int64_t{1} << 24;

QString deviceFromText(const std::string& text)
{
    static const QRegularExpression pattern(QStringLiteral("^(cpu|cuda(:[0-9]{1,4})?)$"));
    QString device = QString::fromStdString(text);
    if (!pattern.match(device).hasMatch())
        throw UsageError("--device: '" + text +
                         "' is no device; write cpu, cuda or cuda:N. 'batchpeak devices' lists them.");
    return device;
}

std::string headroomHelp(const ExplorationOptions& options)
{
    return "Share of the memory kept free (" + std::to_string(std::lround(options.headroom * 100)) + ")";
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
                            "Device to run on, can be given again (every GPU, else the CPU)")
        ->allow_extra_args(false)
        ->type_name("cpu|cuda|cuda:N");
}

} // namespace

config::Setting settingFromArgument(const std::string& text)
{
    try {
        return config::settingFromText(text);
    } catch (const config::ConfigError& error) {
        throw UsageError(error.what());
    }
}

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

void addRunOptions(CLI::App& app, ExplorationOptions& o)
{
    addDeviceOption(app, o);
    addTextOption(app, "--memory-limit", "SIZE", "Device memory to use at most, as 2GiB or 800MiB",
                  [&o](const std::string& text) { o.memoryLimitBytes = bytesFromText(text); });
    addTextOption(app, "--headroom", "PERCENT", headroomHelp(o),
                  [&o](const std::string& text) { o.headroom = shareFromPercentText(text, 0, 90); });
    addTextOption(
        app, "--sequence-length", "N", "Tokens in a sample, instead of the config's",
        [&o](const std::string& text) { o.sequenceLength = countFromText(text, 1, largestSequence); });
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
                  [&o](const std::string& text) { o.lossChunkRows = countFromText(text, 0, largestCount); });
    addTextOption(app, "--max-gradient-norm", "NORM", "Scale gradients down to this, 0 for never",
                  [&o](const std::string& text) { o.maxGradientNorm = numberFromText(text); });
    addTextOption(app, "--worker", "COMMAND", "Program that runs the network instead of batchpeak-worker",
                  [&o](const std::string& text) { o.workerCommand = QString::fromStdString(text); });
    addTextOption(app, "--launcher", "PREFIX", "Words before the worker's command, as \"ssh host\"",
                  [&o](const std::string& text) { o.launcher = QString::fromStdString(text); });
    addTextOption(app, "--seed", "N", "Seed of everything random (1)",
                  [&o](const std::string& text) { o.seed = seedFromText(text); });
}

void groupOptionsFrom(CLI::App& app, std::size_t first, const std::string& group)
{
    const auto all = app.get_options();
    for (std::size_t index = first; index < all.size(); ++index)
        all[index]->group(group);
}

} // namespace batchpeak::cli
