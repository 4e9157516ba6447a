// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"
#include "options/option_values.h"

#include <memory>
#include <string>

namespace batchpeak::cli {

class Options;

/// What a script may rely on.
namespace exitCode {
/// A recommendation was reached, or the command did what it was asked.
inline constexpr int success = 0;
/// Usage or input error.
inline constexpr int badInput = 1;
/// Not even the smallest allowed size fits.
inline constexpr int nothingFits = 2;
/// Trials could not be run, or ended without a recommendation.
inline constexpr int noTrials = 3;
/// It came to a good end, but events or answers that were asked for could not all be written.
inline constexpr int notWritten = 4;
/// The size found was too unsure, or not verified, so nothing was written into a config.
inline constexpr int tooUnsure = 5;
/// 128 + SIGINT, as shells count a command that was interrupted.
inline constexpr int interrupted = 130;
} // namespace exitCode

/// A command line that cannot be followed.
using engine::UsageError;

/// One subcommand: which options it has, and what it does with them.
class Command
{
public:
    virtual ~Command() = default;

    /// The word on the command line, and its line in the help.
    virtual std::string name() const = 0;
    virtual std::string summary() const = 0;

    virtual void addOptions(Options& options) = 0;

    /// Called once all options are read.
    /// \throws UsageError where they contradict each other or one is missing
    virtual void checkOptions() const = 0;

    /// Runs under a QCoreApplication.
    /// \return the exit code of the program
    /// \throws UsageError, config::ConfigError or engine::ExplorationError, with what the user is to be told
    virtual int run() = 0;
};

/// Explores in the terminal: the same exploration as the window's, its result on stdout, into an events file,
/// and into a config if asked. \param file, model, options  what the options of the command line say
/// otherwise
std::unique_ptr<Command> makeExploreCommand(std::string file = {}, std::string model = {},
                                            engine::ExplorationOptions options = {});

/// Trains in the terminal: real optimizer steps, what they come to on stdout and into an events file. With
/// --confirm it measures the sizes that an exploration has found instead.
std::unique_ptr<Command> makeTrainCommand();
/// The latter as a command of its own.
std::unique_ptr<Command> makeConfirmCommand();

/// Says what was read from a config: format, network, batch plans, run and warnings. A network that cannot be
/// run is part of what was read, not an error. Or prints the config as one of Batchpeak's own, for which it
/// must be one that can.
std::unique_ptr<Command> makeInspectCommand();

/// Writes a micro-batch size into a config: to stdout, to another file, or in place; or shows what would
/// change. No trial is run.
std::unique_ptr<Command> makeExportCommand();

/// Lists the devices of this computer that trials can run on.
std::unique_ptr<Command> makeDevicesCommand();

/// Lists the formats of configs.
std::unique_ptr<Command> makeFormatsCommand();

/// Prints the script by which a shell completes the options that \p program has when it runs.
std::unique_ptr<Command> makeCompletionCommand(const Options& program);

/// Looks into the history of explorations: lists them, shows one, compares two, deletes one.
std::unique_ptr<Command> makeHistoryCommand();

} // namespace batchpeak::cli
