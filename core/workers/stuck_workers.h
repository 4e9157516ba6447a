// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>

namespace batchpeak::engine {

/// Workers that not even SIGKILL has ended, each with its device: they hold its memory, so that another
/// worker beside one would only spoil times and run out of memory.
///
/// It knows them for as long as they are there, and ends none.
class StuckWorkers
{
public:
    void add(const QString& device, qint64 pid) { m_pids.insert(device, pid); }
    /// The process that is stuck on the device; 0 for none, or none any more.
    qint64 pidOn(const QString& device);

private:
    QHash<QString, qint64> m_pids;
};

} // namespace batchpeak::engine
