// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <QCoreApplication>

int main(int argc, char** argv)
{
    batchpeak::cli::CommandLine commandLine;
    if (const auto code = commandLine.parse(argc, argv))
        return *code;

    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("batchpeak"));
    QCoreApplication::setApplicationVersion(QStringLiteral(BATCHPEAK_VERSION));
    return commandLine.windowRequest() ? commandLine.runWithoutDisplay() : commandLine.run();
}
