// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

/// Where something may be written: the one place that says which files an output may replace, of a terminal
/// and of a window alike. It asks nobody and writes nothing.
namespace batchpeak::engine {

class ConfigFile;
struct ExplorationOptions;
struct RunDescription;

/// Whether two paths lead to one file, by whatever links and names; or would, where neither is there yet.
bool isSameFile(const QString& path, const QString& other);

/// The path at which a file would be made that is not there, whatever links lead to it; empty where there is
/// no folder for it.
QString futurePathOf(const QString& path);

/// A device or pipe, such as /dev/stdout, which cannot be replaced whole.
bool isStream(const QString& path);

enum class OutputObstacle {
    None,
    /// The run needs what is there: it is never replaced.
    Needed,
    /// Somebody's file is there: it is replaced where a person says so.
    There
};

/// Devices and pipes are in nobody's way.
/// \param needed  files that a run needs, and folders whose files it needs; empty for none
/// \param isOurs  an earlier run wrote what is there, to be replaced by the next one; what is needed by its
///                own name is needed all the same
OutputObstacle obstacleTo(const QString& path, const QStringList& needed, bool isOurs = false);

/// What every run of a config reads: the config, the files that it names, the history, and the list of
/// trusted code. Data and checkpoints come with the command that takes them.
QStringList filesNeededBy(const ConfigFile& file);
/// The same for a run that is described, as far as that tells.
QStringList filesNeededBy(const RunDescription& run);
/// Those of this computer that options name beside it: lengths of samples, and the program that runs trials.
QStringList filesNeededBy(const ExplorationOptions& options);

} // namespace batchpeak::engine
