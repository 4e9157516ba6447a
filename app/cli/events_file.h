// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options.h"

#include <QFile>
#include <QString>
#include <QStringList>

#include <string>

namespace batchpeak::cli {

class Console;

/// --events: where events are written; empty for nowhere, "-" for stdout, by whatever name it is called.
void addEventsOption(Options& options, std::string& target);

/// The file that --events names. It decides what may be overwritten: a file of events, and with --force any
/// file but what the command needs. It writes nothing itself.
class EventsFile
{
public:
    /// \param needed  files and folders that the command reads or writes otherwise, as engine::obstacleTo()
    ///        takes them
    /// \throws UsageError since another file would be lost
    EventsFile(const std::string& target, const QStringList& needed, bool force);

    /// Open for writing: what was there is lost, so that it is called when nothing else refuses the run any
    /// more. Nothing where no events are asked for.
    /// \throws UsageError with the system's reason, or where another program has it open for its events
    QIODevice* open();

    /// Says once that events are missing, when the first of them is. What it can be connected to.
    /// \param problem  as the system says it
    void sayMissing(const QString& problem, Console& console);
    /// Of a command whose code is \p code without regard to events.
    int codeWith(int code) const;

private:
    QFile m_file;
    QString m_problem;
};

} // namespace batchpeak::cli
