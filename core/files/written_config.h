// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "store/exploration_records.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>

namespace batchpeak::engine {

class ConfigFile;

/// Sizes that are written into files and can be reverted: the history stores what a file contained before.
/// The calling program asks whether a later change by somebody may be lost.

/// Messages about a file that was saved, as full sentences.
struct SavedConfig
{
    /// Why it cannot be reverted; empty if it can, and for a stream.
    QString whyFinal = {};
    /// Text of inPlaceText().
    QString inPlace = {};

    /// Returns the messages that are not empty.
    QStringList sentences() const;
};

/// Saves the file as ConfigFile::save() does, and stores what it contained before; if that cannot be stored,
/// it writes nothing in place.
/// \param historyPath  path of the store; empty if nothing is to be stored
/// \throws config::ConfigError as ConfigFile::save()
SavedConfig saveKept(const ConfigFile& file, const config::SplicedText& spliced, const QString& path,
                     const QString& historyPath);

/// "config.yaml is written in place, since it is mounted by itself; ..."
/// \param reason  as in WayToWrite; empty if there is none, and then so is the text
QString inPlaceText(const QString& path, const QString& reason);

/// Returns why the contents of a file cannot be stored before it is written, as a full sentence; empty if
/// they can.
QString keepError(const QString& historyPath);

/// Whether saving it there would change nothing: it is the config's own file, and the file on disk, which
/// somebody may have changed since it was read, contains all of it too.
bool holdsAlready(const ConfigFile& file, const config::SplicedText& spliced, const QString& path);

/// The last size that was written into a file, and the file's current state.
struct LastWriting
{
    store::WrittenConfig written;
    /// Current contents of the file; nothing if it does not exist.
    std::optional<QByteArray> now;

    /// Whether somebody has changed the file since: reverting the size loses that change.
    bool isChangedSince() const { return now != written.after && now != written.before; }
    /// "The file config.yaml has changed since a size was written into it on 1.2.2026 10:15." if it has
    /// changed.
    QString changeText() const;
};

/// Returns the last size that was written into a file.
/// \return nothing if no size was written into that file, or none that the history stores
/// \throws config::ConfigError if the history or the file cannot be read
std::optional<LastWriting> lastWriting(const QString& path, const QString& historyPath);

/// Restores what the file contained before; a file that did not exist is removed. The size written before
/// that is then the last one.
/// \throws config::ConfigError with the system's reason
void takeBack(const LastWriting& last, const QString& historyPath);

/// Returns what takeBack() would change, as a unified diff; empty if the file has these contents already.
QString changeByTakingBack(const LastWriting& last);

} // namespace batchpeak::engine
