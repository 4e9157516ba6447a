// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QSocketNotifier;

namespace batchpeak::cli {

/// Brings the first SIGINT or SIGTERM, or the first few, into the event loop as a Qt signal each. After them
/// the system's own rule holds again: the program ends at once. The first SIGHUP, of a terminal that is gone,
/// comes as one too, and so does a reader that is gone; more of them say nothing new, nor do they after an
/// end that was asked for. A session that ends sends SIGTERM and SIGHUP, in any order: the two count once.
/// What nohup ignores stays ignored.
///
/// One object at a time.
class SignalRelay : public QObject
{
    Q_OBJECT

public:
    explicit SignalRelay(int signalsPassed = 1, QObject* parent = nullptr);
    ~SignalRelay() override;

    /// To be called where something that people or programs read could not be written, with EPIPE: no signal
    /// tells. Nothing happens where no relay is there, or whoever started the program ignores SIGPIPE.
    static void noteThatReaderIsGone();

signals:
    void interrupted();

private:
    QSocketNotifier* m_notifier = nullptr;
    bool m_relaysHangUps = false;
};

} // namespace batchpeak::cli
