// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace batchpeak::engine {

/// An exploration that another window or terminal of this user runs on this computer at present.
struct RunElsewhere
{
    qint64 exploration = 0;
    QDateTime started;
    QString filePath;
    /// Ids; none before it has them.
    QStringList devices = {};

    bool operator==(const RunElsewhere&) const = default;
};

/// Those that the history knows of; trials and log of none are read.
/// \param isOwn  whether an exploration of that number is the caller's
/// \throws store::StoreError where the history cannot be read
std::vector<RunElsewhere> runsElsewhere(const QString& historyPath,
                                        const std::function<bool(qint64)>& isOwn = {});

/// A full sentence on one of them that an exploration of a config would disturb, and be disturbed by; empty
/// where there is none.
/// \param path  of the config
/// \param devices  ids or kinds that it runs on; none where that is not known
QString elsewhereText(const std::vector<RunElsewhere>& runs, const QString& path, const QStringList& devices);
/// The same, and that both disturb each other, or may where the devices of one are not known.
QString disturbanceText(const std::vector<RunElsewhere>& runs, const QString& path,
                        const QStringList& devices);

} // namespace batchpeak::engine
