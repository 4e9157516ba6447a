// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace batchpeak::cli {

/// What the window is asked for on the command line.
struct WindowRequest
{
    /// Config to open; empty for none.
    QString file;
    /// File or id of the network to run in place of the config's; empty for that.
    QString model;
    bool start = false;
    engine::ExplorationOptions options;
    /// Names of the options that are given, also of those that ask for what is usual.
    QStringList givenNames = {};
};

/// The command line as a whole: reads it before any application object exists, and runs the subcommand
/// under one.
///
/// It decides between the subcommands and the window, and words what cannot be followed. It does not
/// open the window: whoever links widgets does.
class CommandLine
{
public:
    CommandLine();
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// Answers --help, --version and every error itself.
    /// \return the exit code where the program is to end now
    std::optional<int> parse(int argc, char** argv);

    /// What the window is to do; nothing where a subcommand was given. Valid after parse().
    std::optional<WindowRequest> windowRequest() const;

    /// Runs the subcommand; needs a QCoreApplication.
    /// \return the exit code of the program
    int run();

    /// Runs what the window would have, in the terminal; needs a QCoreApplication. Without an order to
    /// start there is nothing to run, and an error says what to do instead.
    int runWithoutDisplay();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::cli
