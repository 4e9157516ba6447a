// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>

namespace batchpeak::engine {

/// Workers that not even SIGKILL has ended, with their devices. They hold device memory, so another worker
/// next to one would only disturb times and run out of memory.
///
/// It tracks them while they exist; it does not end any.
class StuckWorkers
{
public:
    void add(const QString& device, qint64 pid) { m_pids.insert(device, pid); }
    /// Returns the id of the process that is stuck on the device; 0 if there is none, or not any more.
    qint64 pidOn(const QString& device);

private:
    QHash<QString, qint64> m_pids;
};

} // namespace batchpeak::engine
