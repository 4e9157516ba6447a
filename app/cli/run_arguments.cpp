// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_arguments.h"

#include "command.h"
#include "files/hub_download.h"
#include "options/option_table.h"
#include "text/errors.h"
#include "workers/python_stack.h"

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::cli {

namespace {

using engine::ExplorationOptions;

std::string helpOf(const engine::ExplorationOption& option, const ExplorationOptions& before)
{
    std::string defaults;
    for (const std::string& text : option.isSwitch() ? std::vector<std::string>() : option.texts(before))
        defaults += (defaults.empty() ? "" : ", ") + text;
    return defaults.empty() ? option.help : option.help + " (" + defaults + ")";
}

std::optional<Colors> colorsFromText(const std::string& text)
{
    if (text == "auto")
        return Colors::Auto;
    if (text == "always")
        return Colors::Always;
    return text == "never" ? std::optional(Colors::Never) : std::nullopt;
}

void addOne(Options& options, ExplorationOptions& o, const engine::ExplorationOption& option,
            const std::string& deviceHelp, QStringList* given = nullptr)
{
    const auto take = [&o, &option, given](const std::string& text) {
        option.take(o, text);
        if (given)
            *given << QString::fromStdString(option.name);
    };
    if (option.isSwitch())
        options.addFlag(option.name, option.help, [take](bool isOn) { take(isOn ? "on" : "off"); });
    else if (option.isRepeated)
        options.addRepeatedText(option.alias.empty() ? option.name : option.name + "," + option.alias,
                                option.values, option.name == "--device" ? deviceHelp : option.help, take);
    else
        options.addText(option.name, option.values, helpOf(option, o), take);
}

void addSubject(Options& options, ExplorationOptions& o, engine::ExplorationOption::Subject subject,
                const std::string& deviceHelp, QStringList* given = nullptr)
{
    for (const auto& option : engine::explorationOptions()) {
        if (option.subject == subject)
            addOne(options, o, option, deviceHelp, given);
    }
    // Trust is given once, so it is not kept with the other options.
    if (subject == engine::ExplorationOption::Subject::Run)
        options.addFlag("--trust", "Run code that the config names, and remember that this code may run",
                        o.trustsCode);
}

} // namespace

void addModelOption(Options& options, NetworkChoice& choice)
{
    options.addText("--model", "FILE|ID",
                    "Network instead of the config's: a file that describes one, such as a config.json, or "
                    "an id of the Hugging Face hub",
                    choice.model);
    options.addText(
        "--download", "once|always|never",
        "Fetch the config.json of a network that is not in the Hugging Face cache: now, from now on, or not "
        "any more",
        choice.download);
}

namespace {

/// Whether a person consents to a download from the hub, by the option or earlier.
bool consents(const std::string& download)
{
    const QUrl hub = engine::hubEndpoint();
    if (download == "always" || download == "never")
        engine::setMayDownloadFrom(hub, download == "always");
    else if (!download.empty() && download != "once")
        throw UsageError("--download takes once, always or never, but not " + download + ".");
    return download == "once" || engine::mayDownloadFrom(hub);
}

} // namespace

engine::ConfigFile openConfig(const std::string& path, const NetworkChoice& choice)
{
    const auto open = [&] {
        const auto file = engine::ConfigFile::open(QString::fromStdString(path));
        return choice.model.empty() ? file : file.withModel(QString::fromStdString(choice.model));
    };
    const bool may = consents(choice.download);
    engine::ConfigFile file = open();
    // An adapter leads to its base, which may be missing too.
    constexpr int maxDownloads = 4;
    for (int i = 0; may && i < maxDownloads; ++i) {
        const auto missing = file.missingNetwork();
        if (!missing)
            break;
        engine::HubDownload download(engine::pythonIn(QProcessEnvironment::systemEnvironment()));
        if (const QString problem = download.fetch(*missing); !problem.isEmpty())
            throw engine::ExplorationError(problem);
        file = open();
    }
    return file;
}

void addNetworkOptions(Options& options, ExplorationOptions& o)
{
    for (const char* name : {"--shrink", "--adapter", "--adapter-rank", "--frozen-weights"})
        addOne(options, o, engine::explorationOption(name), {});
}

void addRunOptions(Options& options, ExplorationOptions& o, const std::string& deviceHelp)
{
    addSubject(options, o, engine::ExplorationOption::Subject::Run, deviceHelp);
}

void addExplorationOptions(Options& options, ExplorationOptions& o, QStringList* given)
{
    using Subject = engine::ExplorationOption::Subject;
    for (const Subject subject : {Subject::Question, Subject::Run, Subject::Samples, Subject::Search})
        addSubject(options, o, subject, engine::explorationOption("--device").help, given);
}

void checkExplorationOptions(const ExplorationOptions& options)
{
    if (options.minimum && options.maximum && *options.minimum > *options.maximum) {
        throw UsageError("--min " + std::to_string(*options.minimum) + " is above --max " +
                         std::to_string(*options.maximum) + ", so there is no size to try; swap them.");
    }
    if (options.minConfidence && *options.minConfidence > options.targetConfidence) {
        throw UsageError(
            "--min-confidence is above --confidence, at which the exploration stops, so its size "
            "would not be written; lower the one or raise the other.");
    }
}

void addColorOption(Options& options, Colors& colors)
{
    options.addText("--color", "auto|always|never",
                    "Colors; auto: on a terminal, unless NO_COLOR is set (auto)",
                    [&colors](const std::string& text) {
                        colors = engine::known(colorsFromText(text), text, "auto, always, never");
                    });
}

} // namespace batchpeak::cli
