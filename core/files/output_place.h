// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

/// Decides where output may be written: the one place that says which files an output may replace, for a
/// terminal and for a window. It does not ask anybody, and writes nothing.
namespace batchpeak::engine {

class ConfigFile;
struct ExplorationOptions;
struct RunDescription;

/// Whether two paths lead to one file, through whatever links and names, or would if neither exists yet.
bool isSameFile(const QString& path, const QString& other);

/// Returns the path at which a file that does not exist yet would be created, through whatever links; empty
/// if there is no folder for it.
QString futurePathOf(const QString& path);

/// Whether the path is a device or pipe, such as /dev/stdout, which cannot be replaced as a whole.
bool isStream(const QString& path);

enum class OutputObstacle {
    None,
    /// The run needs the existing file: it is never replaced.
    Needed,
    /// Somebody's file exists there: it is replaced only if a person agrees.
    There
};

/// Returns what prevents writing to \p path. Devices and pipes are no obstacle.
/// \param needed  files that a run needs, and folders whose files it needs; empty strings are ignored
/// \param isOurs  whether an earlier run wrote the existing file, so that the next one may replace it; a file
///                that is itself listed in \p needed is needed all the same
OutputObstacle obstacleTo(const QString& path, const QStringList& needed, bool isOurs = false);

/// Returns the files that every run of a config reads: the config, the files that it names, the history, and
/// the list of trusted code. Commands that take data and checkpoints add these.
QStringList filesNeededBy(const ConfigFile& file);
/// Returns the same for the description of a run, as far as it names them.
QStringList filesNeededBy(const RunDescription& run);
/// Returns the files on this computer that options name in addition: sample lengths, and the program that
/// runs trials.
QStringList filesNeededBy(const ExplorationOptions& options);

} // namespace batchpeak::engine
