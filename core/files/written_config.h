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

/// Sizes that are written into files, and taken back: the history keeps what a file held before. Whether
/// somebody's later change may be lost for that, the program asks that takes it back.

/// What there is to say of a file that was saved, as full sentences.
struct SavedConfig
{
    /// Why it cannot be taken back; empty where it can, and for a stream.
    QString whyFinal = {};
    /// As inPlaceText() has it.
    QString inPlace = {};

    /// Those that there are.
    QStringList sentences() const;
};

/// Saves the file as ConfigFile::save() does, and keeps what it held before; where that cannot be kept, it
/// writes nothing in place.
/// \param historyPath  of the store; empty where nothing is to be kept
/// \throws config::ConfigError as ConfigFile::save()
SavedConfig saveKept(const ConfigFile& file, const config::SplicedText& spliced, const QString& path,
                     const QString& historyPath);

/// "config.yaml is written in place, since it is mounted by itself; ..." \param reason  as WayToWrite has it;
/// empty where there is none, and nothing to say
QString inPlaceText(const QString& path, const QString& reason);

/// Why what a file holds cannot be kept before it is written, as a full sentence; empty where it can.
QString keepError(const QString& historyPath);

/// Whether saving it there would change nothing: it is the config's own file, which holds all of it on disk
/// too, where somebody may have changed it since it was read.
bool holdsAlready(const ConfigFile& file, const config::SplicedText& spliced, const QString& path);

/// The newest of the sizes that were written into a file, and what has become of that since.
struct LastWriting
{
    store::WrittenConfig written;
    /// What the file holds now; nothing where there is none.
    std::optional<QByteArray> now;

    /// Somebody has changed the file since: taking the size back loses that.
    bool isChangedSince() const { return now != written.after && now != written.before; }
    /// "The file config.yaml has changed since a size was written into it on 1.2.2026 10:15." where it has
    QString changeText() const;
};

/// \return nothing where no size was written into that file, or none that the history keeps
/// \throws config::ConfigError where the history or the file cannot be read
std::optional<LastWriting> lastWriting(const QString& path, const QString& historyPath);

/// Gives the file what it held before; one that was not there is removed. The one written before that is
/// the newest then.
/// \throws config::ConfigError with the system's reason
void takeBack(const LastWriting& last, const QString& historyPath);

/// What takeBack() would change, as a unified diff; empty where the file holds that already.
QString changeByTakingBack(const LastWriting& last);

} // namespace batchpeak::engine
