// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <array>

class QSocketNotifier;

namespace batchpeak::cli {

/// Brings the first SIGINT or SIGTERM, or the first few, into the event loop as a Qt signal each. After them
/// the system's own rule holds again: the program ends at once. The first SIGHUP or SIGPIPE, of a terminal or
/// a reader that is gone, comes as one too; more of them say nothing new. What nohup ignores stays ignored.
///
/// One object at a time.
class SignalRelay : public QObject
{
    Q_OBJECT

public:
    explicit SignalRelay(int signalsPassed = 1, QObject* parent = nullptr);
    ~SignalRelay() override;

signals:
    void interrupted();

private:
    QSocketNotifier* m_notifier = nullptr;
    /// Of SIGHUP and SIGPIPE.
    std::array<bool, 2> m_relaysHangUps{};
};

} // namespace batchpeak::cli
