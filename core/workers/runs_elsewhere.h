// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace batchpeak::engine {

/// An exploration that another window or terminal of this user is running on this computer.
struct RunElsewhere
{
    qint64 exploration = 0;
    QDateTime started;
    QString filePath;
    /// Ids of its devices; empty until it has them.
    QStringList devices = {};

    bool operator==(const RunElsewhere&) const = default;
};

/// Returns the runs that the history knows of, without their trials and logs.
/// \param isOwn  whether the exploration of that number belongs to the caller
/// \throws store::StoreError  if the history cannot be read
std::vector<RunElsewhere> runsElsewhere(const QString& historyPath,
                                        const std::function<bool(qint64)>& isOwn = {});

/// Returns a full sentence on one of the runs that would be disturbed by an exploration of a config and would
/// disturb it; empty if there is none.
/// \param path  path of the config
/// \param devices  ids or kinds of the devices that it would run on; empty if they are unknown
QString elsewhereText(const std::vector<RunElsewhere>& runs, const QString& path, const QStringList& devices);
/// Returns the same sentence, followed by one that says that both disturb each other, or that they may if the
/// devices of either are unknown.
QString disturbanceText(const std::vector<RunElsewhere>& runs, const QString& path,
                        const QStringList& devices);

} // namespace batchpeak::engine
