// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include "command.h"
#include "console.h"
#include "options.h"
#include "run_arguments.h"
#include "store/exploration_store.h"
#include "surroundings.h"
#include "syntax/config_error.h"
#include "text/errors.h"
#include "watch/watch_target.h"

#include <QLocale>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace batchpeak::cli {

namespace {

template<typename Action>
int answeringErrors(Action action)
{
    try {
        return codeWithAnswers(action());
    } catch (const UsageError& error) {
        printError(QString::fromStdString(error.what()));
    } catch (const config::ConfigError& error) {
        printError(QString::fromStdString(error.what()));
    } catch (const engine::ExplorationError& error) {
        printError(error.sentence());
    } catch (const store::StoreError& error) {
        printError(error.sentence());
    } catch (const std::bad_alloc&) {
        return endWithoutMemory();
    } catch (const std::exception& error) {
        printError(
            QStringLiteral(
                "an unexpected error occurred: %1. Try again, and report it with the command if it persists.")
                .arg(QString::fromUtf8(error.what())));
    }
    return exitCode::badInput;
}

} // namespace

class CommandLine::Private
{
public:
    Private();
    /// \return whether there is anything left to do
    bool parse(const std::vector<std::string>& words);

    Options options{
        {.name = "batchpeak",
         .description = "Finds the micro-batch size at which a neural network runs fastest on this computer.",
         .footer = "Without a command the window opens. It takes the options of `batchpeak explore` too.",
         .version = "batchpeak " BATCHPEAK_VERSION}};
    std::vector<std::unique_ptr<Command>> commands;
    Command* chosen = nullptr;
    std::string file;
    NetworkChoice network;
    bool start = false;
    std::string watch;
    engine::ExplorationOptions exploration;
    QStringList givenNames;
};

CommandLine::Private::Private()
{
    options.addArgument("FILE", "Config to open in the window", file);
    options.addFlag("--start", "Start exploring at once", start);
    options.addText("--watch", "EVENTS|JOB", "Follow an exploration that runs elsewhere; or ssh:HOST:EVENTS",
                    watch);
    options.beginGroup(Options::hidden);
    addModelOption(options, network);
    addExplorationOptions(options, exploration, &givenNames);
    options.endGroup();

    commands.push_back(makeExploreCommand());
    commands.push_back(makeTrainCommand());
    commands.push_back(makeConfirmCommand());
    commands.push_back(makeInspectCommand());
    commands.push_back(makeExportCommand());
    commands.push_back(makeDevicesCommand());
    commands.push_back(makeSubmitCommand());
    commands.push_back(makeWatchCommand());
    commands.push_back(makePlacesCommand());
    commands.push_back(makeHistoryCommand());
    commands.push_back(makeFormatsCommand());
    commands.push_back(makeCompletionCommand(options));
    for (const auto& command : commands) {
        Options ofCommand = options.addCommand(command->name(), command->summary());
        command->addOptions(ofCommand);
    }
}

bool CommandLine::Private::parse(const std::vector<std::string>& words)
{
    if (!options.parse(words))
        return false;
    for (const auto& command : commands) {
        if (command->name() == options.chosenCommand())
            chosen = command.get();
    }
    if (chosen)
        chosen->checkOptions();
    else
        checkExplorationOptions(exploration);
    if (!chosen && exploration.trustsCode && file.empty())
        throw UsageError("--trust lets the code of one config run; name it: batchpeak FILE --trust.");
    if (!watch.empty() && start)
        throw UsageError("--watch follows an exploration that runs already; remove --start.");
    if (!watch.empty())
        engine::watchTargetFrom(QString::fromStdString(watch));
    return true;
}

CommandLine::CommandLine() : d(std::make_unique<Private>()) {}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, char** argv)
{
    bool continues = false;
    const int code = answeringErrors([&] {
        continues = d->parse(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
        return exitCode::success;
    });
    return continues ? std::nullopt : std::optional(code);
}

std::optional<WindowRequest> CommandLine::windowRequest() const
{
    if (d->chosen)
        return std::nullopt;
    return WindowRequest{.file = QString::fromStdString(d->file),
                         .model = QString::fromStdString(d->network.model),
                         .download = QString::fromStdString(d->network.download),
                         .start = d->start,
                         .watch = QString::fromStdString(d->watch),
                         .options = d->exploration,
                         .givenNames = d->givenNames};
}

int CommandLine::run()
{
    // In the terminal, numbers in the engine's sentences look the same in every locale, like those in ours.
    QLocale::setDefault(QLocale::c());
    return answeringErrors([this] { return d->chosen->run(); });
}

int CommandLine::runWithoutDisplay()
{
    QLocale::setDefault(QLocale::c());
    return answeringErrors([this] {
        if (!d->watch.empty()) {
            throw UsageError("there is no display to open the window on; watch in this terminal with "
                             "`batchpeak watch " +
                             d->watch + "`.");
        }
        if (d->file.empty() || !d->start) {
            throw UsageError(
                "there is no display to open the window on; explore in this terminal with `batchpeak "
                "explore " +
                (d->file.empty() ? "FILE" : d->file) + "`.");
        }
        return makeExploreCommand(d->file, d->network, d->exploration)->run();
    });
}

} // namespace batchpeak::cli
