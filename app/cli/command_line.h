// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/exploration_options.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace batchpeak::cli {

/// What the command line asks of the window.
struct WindowRequest
{
    /// Config to open; empty for none.
    QString file;
    /// File or id of the network to run in place of the config's; empty for the config's own.
    QString model;
    /// Consent to a download: "once", "always" or "never"; empty for none.
    QString download;
    bool start = false;
    /// Events or job to follow; empty for none.
    QString watch = {};
    engine::ExplorationOptions options;
    /// Names of the options that are given, including those that are given with their default value.
    QStringList givenNames = {};
};

/// The command line as a whole: reads it before any application object exists, and runs the subcommand under
/// one.
///
/// This class chooses between the subcommands and the window, and words the errors of the command line. It
/// does not open the window: the program that links QtWidgets does.
class CommandLine
{
public:
    CommandLine();
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// Reads the command line. Handles --help, --version and every error itself.
    /// \return the exit code if the program is to end now
    std::optional<int> parse(int argc, char** argv);

    /// Returns what the window is to do, or nothing if a subcommand was given. Valid after parse().
    std::optional<WindowRequest> windowRequest() const;

    /// Runs the subcommand; needs a QCoreApplication.
    /// \return the exit code of the program
    int run();

    /// Runs in the terminal what the window would have run; needs a QCoreApplication. Without the option to
    /// start there is nothing to run, and an error says what to do instead.
    int runWithoutDisplay();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace batchpeak::cli
