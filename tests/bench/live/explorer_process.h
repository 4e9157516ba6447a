// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "live_report.h"

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <functional>
#include <optional>

/// The result of an exploration, read from its events (docs/events.md).
struct ExplorerEnd
{
    /// The exploration; nothing if it ended without a size.
    std::optional<LiveExploration> exploration;
    int outOfMemory = 0;
    /// Whether it ended by itself, neither interrupted nor failed.
    bool isFinished = false;
};
ExplorerEnd explorerEnd(const QByteArray& events);

/// One run of batchpeak with its own history, so that explorations do not know of each other. It is killed
/// when this process ends.
class ExplorerProcess : public QObject
{
public:
    /// \param arguments  arguments of `batchpeak`, without those for the events
    /// \param ended      called once, from the event loop
    ExplorerProcess(const QString& program, const QStringList& arguments, std::function<void()> ended);
    /// Ends the run, and waits for its end.
    ~ExplorerProcess() override;

    /// Interrupts the run like Ctrl-C.
    void interrupt();
    ExplorerEnd end() const { return explorerEnd(m_events); }
    /// Returns the last line that it wrote to stderr.
    QString lastWords() const;

private:
    QTemporaryDir m_history;
    QProcess m_process;
    QByteArray m_events;
    QByteArray m_complaints;
};
