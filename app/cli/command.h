// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"
#include "options/option_values.h"
#include "run_arguments.h"

#include <memory>
#include <string>

namespace batchpeak::cli {

class Options;

/// Exit codes that scripts may rely on.
namespace exitCode {
/// The run reached a recommendation, or the command did what it was asked to.
inline constexpr int success = 0;
/// Usage or input error.
inline constexpr int badInput = 1;
/// Not even the smallest allowed size fits.
inline constexpr int nothingFits = 2;
/// Trials could not be run, or ended without a recommendation.
inline constexpr int noTrials = 3;
/// The run succeeded, but some of the requested events or answers could not be written.
inline constexpr int notWritten = 4;
/// The size found was too uncertain or not verified, so nothing was written into a config.
inline constexpr int tooUnsure = 5;
/// 128 + SIGINT, the exit code that shells give a command that was interrupted.
inline constexpr int interrupted = 130;
} // namespace exitCode

/// Error in a command line that cannot be carried out.
using engine::UsageError;

/// One subcommand: which options it has, and what it does with them.
class Command
{
public:
    virtual ~Command() = default;

    /// The word on the command line. summary() is its line in the help.
    virtual std::string name() const = 0;
    virtual std::string summary() const = 0;

    virtual void addOptions(Options& options) = 0;

    /// Checks the options; called once all of them are read.
    /// \throws UsageError if options contradict each other or one is missing
    virtual void checkOptions() const = 0;

    /// Runs the command; needs a QCoreApplication.
    /// \return the exit code of the program
    /// \throws UsageError, config::ConfigError or engine::ExplorationError, with the message for the user
    virtual int run() = 0;
};

/// Creates the command that explores in the terminal. It runs the same exploration as the window and writes
/// its result to stdout, to an events file, and into a config if asked.
/// \param file, model, options  defaults, used unless the options of the command line say otherwise
std::unique_ptr<Command> makeExploreCommand(std::string file = {}, NetworkChoice network = {},
                                            engine::ExplorationOptions options = {});

/// Creates the command that trains in the terminal: it takes real optimizer steps and writes their results to
/// stdout and to an events file. With --confirm it measures the sizes that an exploration has found instead.
std::unique_ptr<Command> makeTrainCommand();
/// Creates the command that does the same as the train command with --confirm.
std::unique_ptr<Command> makeConfirmCommand();

/// Creates the command that prints what was read from a config: format, network, batch plans, run and
/// warnings. A network that cannot be run is part of what was read, not an error. The command can also print
/// the config as one of Batchpeak's own; that config must hold a network that can be run.
std::unique_ptr<Command> makeInspectCommand();

/// Creates the command that writes a micro-batch size into a config, to stdout, to another file or in place,
/// or shows what would change. It runs no trial.
std::unique_ptr<Command> makeExportCommand();

/// Creates the command that lists the devices of this computer that trials can run on.
std::unique_ptr<Command> makeDevicesCommand();

/// Creates the command that writes a batch script which explores on the nodes of a Slurm, and submits it.
std::unique_ptr<Command> makeSubmitCommand();

/// Creates the command that follows the events of an exploration that runs elsewhere.
std::unique_ptr<Command> makeWatchCommand();

/// Creates the command that lists, saves, removes and tests places where trials run.
std::unique_ptr<Command> makePlacesCommand();

/// Creates the command that lists the formats of configs.
std::unique_ptr<Command> makeFormatsCommand();

/// Creates the command that prints the completion script of a shell.
/// \param program  the declared program; the script completes the options that it has when the command runs
std::unique_ptr<Command> makeCompletionCommand(const Options& program);

/// Creates the command that reads the history of explorations: it lists them, shows one, compares two, or
/// deletes one.
std::unique_ptr<Command> makeHistoryCommand();

} // namespace batchpeak::cli
