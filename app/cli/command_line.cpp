// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include "closest_word.h"
#include "config/config_error.h"
#include "console.h"
#include "devices_command.h"
#include "engine/exploration_error.h"
#include "exit_code.h"
#include "exploration_arguments.h"
#include "explore_command.h"
#include "export_command.h"
#include "history_command.h"
#include "inspect_command.h"
#include "model_option.h"
#include "train_command.h"
#include "usage_error.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <QLocale>

#include <string>
#include <vector>

namespace batchpeak::cli {

namespace {

constexpr auto description =
    "Finds the micro-batch size at which a neural network runs fastest on this computer.";
constexpr auto windowNote =
    "Without a command the window opens. It takes the options of 'batchpeak explore' too.";

/// Long names of the options of \p app, as they are typed.
std::vector<std::string> optionNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

std::string meant(const std::optional<std::string>& word)
{
    return word ? " Did you mean " + *word + "?" : std::string();
}

/// \throws UsageError where \p app was given an argument that it has no place for
void refuseSurplus(const CLI::App& app, const std::string& command)
{
    const std::vector<std::string> surplus = app.remaining();
    if (surplus.empty())
        return;
    const std::string& first = surplus.front();
    if (first.starts_with("-")) {
        const std::string name = first.substr(0, first.find('='));
        throw UsageError("there is no option " + name + "." + meant(closestWord(name, optionNames(app))) +
                         " '" + command + " --help' lists them.");
    }
    throw UsageError("there is one argument too many, '" + first + "'. '" + command +
                     " --help' shows what can be given.");
}

/// CLI11 words its errors ("--min: 1 required N missing") as notes to a programmer.
std::string sentenceFor(const CLI::ParseError& error, const CLI::App& app)
{
    std::string text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr)
        return text;
    // An option that the help hides has no name in the error.
    const std::string option = text.starts_with(':') ? "an option" : text.substr(0, text.find(':'));
    const auto commands = app.get_subcommands();
    const std::string command = "batchpeak " + (commands.empty() ? "explore" : commands.front()->get_name());
    return option + " needs a value, and only one; '" + command + " --help' shows how to write it.";
}

template<typename Action>
int answeringErrors(Action action)
{
    try {
        return action();
    } catch (const UsageError& error) {
        printError(QString::fromStdString(error.what()));
    } catch (const config::ConfigError& error) {
        printError(QString::fromStdString(error.what()));
    } catch (const engine::ExplorationError& error) {
        printError(error.sentence());
    }
    return exitCode::badInput;
}

} // namespace

class CommandLine::Private
{
public:
    Private();
    void parse(int argc, char** argv);
    void refuseMisplaced() const;

    CLI::App app{description, "batchpeak"};
    std::vector<std::unique_ptr<Command>> commands;
    Command* chosen = nullptr;
    std::string file;
    std::string model;
    bool start = false;
    engine::ExplorationOptions options;
};

CommandLine::Private::Private()
{
    commands.push_back(std::make_unique<ExploreCommand>());
    commands.push_back(std::make_unique<TrainCommand>());
    commands.push_back(std::make_unique<InspectCommand>());
    commands.push_back(std::make_unique<ExportCommand>());
    commands.push_back(std::make_unique<DevicesCommand>());
    commands.push_back(std::make_unique<HistoryCommand>());

    app.require_subcommand(0, 1);
    app.allow_extras();
    app.footer(windowNote);
    app.set_version_flag("--version", "batchpeak " BATCHPEAK_VERSION, "Print the version and exit");
    app.add_option("FILE", file, "Config to open in the window")->type_name("");
    app.add_flag("--start", start, "Start exploring at once");
    addModelOption(app, model)->group({});
    addExplorationOptions(app, options, {});
    for (const auto& command : commands) {
        CLI::App* subcommand = app.add_subcommand(command->name(), command->summary());
        subcommand->allow_extras();
        subcommand->footer("");
        command->addOptions(*subcommand);
        subcommand->final_callback([this, each = command.get()] { chosen = each; });
    }
}

void CommandLine::Private::parse(int argc, char** argv)
{
    app.parse(argc, argv);
    if (!chosen) {
        const std::vector<std::string> surplus = app.remaining();
        std::vector<std::string> names;
        for (const auto& command : commands)
            names.push_back(command->name());
        if (const auto word = closestWord(file, names);
            word && !surplus.empty() && !surplus.front().starts_with("-"))
            throw UsageError("there is no command '" + file + "'." + meant(word));
        refuseSurplus(app, "batchpeak");
        checkExplorationOptions(options);
        return;
    }
    refuseMisplaced();
    refuseSurplus(*app.get_subcommands().front(), "batchpeak " + chosen->name());
    chosen->checkOptions();
}

void CommandLine::Private::refuseMisplaced() const
{
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() > 0) {
            throw UsageError("the command comes first, and all else after it: batchpeak " + chosen->name() +
                             " FILE [options].");
        }
    }
    refuseSurplus(app, "batchpeak");
}

CommandLine::CommandLine() : d(std::make_unique<Private>()) {}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, char** argv)
{
    std::optional<int> answered;
    const int code = answeringErrors([&] {
        try {
            d->parse(argc, argv);
        } catch (const CLI::Success& request) {
            // Help and version, which CLI11 prints itself.
            answered = d->app.exit(request);
        } catch (const CLI::ParseError& error) {
            throw UsageError(sentenceFor(error, d->app));
        }
        return exitCode::success;
    });
    if (code != exitCode::success)
        return code;
    return answered;
}

std::optional<WindowRequest> CommandLine::windowRequest() const
{
    if (d->chosen)
        return std::nullopt;
    return WindowRequest{.file = QString::fromStdString(d->file),
                         .model = QString::fromStdString(d->model),
                         .start = d->start,
                         .options = d->options};
}

int CommandLine::run()
{
    // In the terminal the engine's sentences have the same numbers in every locale, as ours have.
    QLocale::setDefault(QLocale::c());
    return answeringErrors([this] { return d->chosen->run(); });
}

int CommandLine::runWithoutDisplay()
{
    QLocale::setDefault(QLocale::c());
    return answeringErrors([this] {
        if (d->file.empty() || !d->start) {
            throw UsageError("there is no display to open the window on. 'batchpeak explore " +
                             (d->file.empty() ? "FILE" : d->file) + "' explores in this terminal.");
        }
        return ExploreCommand(d->file, d->model, d->options).run();
    });
}

} // namespace batchpeak::cli
