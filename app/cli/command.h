// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace batchpeak::cli {

/// One subcommand: which options it has, and what it does with them.
class Command
{
public:
    virtual ~Command() = default;

    /// The word on the command line, and its line in the help.
    virtual std::string name() const = 0;
    virtual std::string summary() const = 0;

    virtual void addOptions(CLI::App& app) = 0;

    /// Called once all options are read.
    /// \throws UsageError where they contradict each other or one is missing
    virtual void checkOptions() const = 0;

    /// Runs under a QCoreApplication.
    /// \return the exit code of the program
    /// \throws UsageError or config::ConfigError, with what the user is to be told
    virtual int run() = 0;
};

} // namespace batchpeak::cli
