// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options.h"

#include <QFile>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>

namespace batchpeak::cli {

class Console;

/// Adds --events, which names where events are written.
/// \param target  filled while parsing; empty for nowhere, "-" for stdout whatever its name on the command
///        line
void addEventsOption(Options& options, std::string& target);

/// The file that --events names. This class decides what may be overwritten: a file of events, and with
/// --force any file that the command does not need. It writes nothing itself.
class EventsFile
{
public:
    /// \param needed  other files and folders that the command reads or writes, in the form that
    ///        engine::obstacleTo() takes
    /// \throws UsageError if another file would be lost
    EventsFile(const std::string& target, const QStringList& needed, bool force);

    /// Opens the file for writing and discards its previous content, so call it once nothing else can refuse
    /// the run any more. Returns null if no events are asked for.
    /// \param resumed  number of the exploration that continues; if its events are in the file, they stay
    /// \throws UsageError with the system's reason, or if another program has the file open for its events
    QIODevice* open(std::optional<qint64> resumed = {});

    /// Prints once, when the first event is missing, that events are missing. Can be connected to a signal
    /// that reports the problem.
    /// \param problem  the system's message
    void sayMissing(const QString& problem, Console& console);
    /// Returns the exit code of a command whose code is \p code without regard to events.
    int codeWith(int code) const;

private:
    QFile m_file;
    QString m_problem;
};

} // namespace batchpeak::cli
