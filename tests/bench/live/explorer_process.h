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

/// What the events of an exploration come to (docs/events.md).
struct ExplorerEnd
{
    /// Nothing where it ended without a size.
    std::optional<LiveExploration> exploration;
    int outOfMemory = 0;
    /// It ended by itself, and not because it was interrupted or broke.
    bool isFinished = false;
};
ExplorerEnd explorerEnd(const QByteArray& events);

/// One start of batchpeak, with a history of its own, so that explorations know nothing of each other. It
/// dies with us.
class ExplorerProcess : public QObject
{
public:
    /// \param arguments  of `batchpeak`, without those for the events
    /// \param ended      called once, from the event loop
    ExplorerProcess(const QString& program, const QStringList& arguments, std::function<void()> ended);
    /// Ends it, and waits until it has.
    ~ExplorerProcess() override;

    /// As Ctrl-C does.
    void interrupt();
    ExplorerEnd end() const { return explorerEnd(m_events); }
    /// The last line that it wrote on stderr.
    QString lastWords() const;

private:
    QTemporaryDir m_history;
    QProcess m_process;
    QByteArray m_events;
    QByteArray m_complaints;
};
