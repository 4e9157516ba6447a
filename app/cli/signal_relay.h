// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QSocketNotifier;

namespace batchpeak::cli {

/// Passes the first SIGINT or SIGTERM, or the first few, into the event loop as a Qt signal each. After them
/// the system's default action applies again: the program ends at once. The first SIGHUP, sent when the
/// terminal is gone, is passed on as well, and so is the first report that a reader is gone. Further ones are
/// not passed on, nor are those that come after a requested end. A session that ends sends SIGTERM and SIGHUP
/// in any order: the two count as one. A signal that nohup ignores stays ignored.
///
/// Only one object may exist at a time.
class SignalRelay : public QObject
{
    Q_OBJECT

public:
    explicit SignalRelay(int signalsPassed = 1, QObject* parent = nullptr);
    ~SignalRelay() override;

    /// Call it if output for people or programs could not be written because of EPIPE: no signal reports
    /// that. Does nothing if no relay exists, or if whoever started the program ignores SIGPIPE.
    static void noteThatReaderIsGone();

signals:
    void interrupted();

private:
    QSocketNotifier* m_notifier = nullptr;
    bool m_relaysHangUps = false;
};

} // namespace batchpeak::cli
