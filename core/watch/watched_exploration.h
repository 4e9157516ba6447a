// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/event_reader.h"
#include "place_shell.h"
#include "watch_target.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <optional>

namespace batchpeak::engine {

/// Times of watching; tests shorten them.
struct WatchTimes
{
    /// Between two looks at a file of this computer, and at one behind ssh.
    std::chrono::milliseconds look{1000};
    std::chrono::milliseconds lookElsewhere{2000};
    /// Between two questions to Slurm.
    std::chrono::milliseconds job{10000};
    /// Until a lost connection is tried again.
    std::chrono::milliseconds reconnect{5000};
    /// From the end of an exploration until its events count as complete: another phase begins at once, and a
    /// job that goes back into the queue is there at once.
    std::chrono::milliseconds untilOver{2500};
    /// The same for a job that has ended without an end of its exploration.
    std::chrono::milliseconds untilJobIsOver{10000};
    /// Silence that is worth a word: three signs of life, and far more for a program that writes none.
    std::chrono::milliseconds silence = 3 * signOfLife;
    std::chrono::milliseconds longSilence = std::chrono::minutes(10);
};

/// Returns the state of an exploration that has ended without saying so, as one that was stopped.
/// \param why  full sentence
Snapshot cutOff(Snapshot snapshot, const QString& why);

/// Follows the events of an exploration that runs elsewhere, from their beginning to its end: those in a file
/// that grows, which may not exist yet, may be begun again, and may be behind ssh; or those of a job of
/// Slurm, from the queue on.
///
/// It only reads: the exploration does not notice.
class WatchedExploration : public QObject
{
    Q_OBJECT

public:
    explicit WatchedExploration(WatchTarget target, QObject* parent = nullptr, const WatchTimes& times = {});

    const WatchTarget& target() const { return m_target; }
    /// What the events say so far.
    const EventReader& events() const { return m_reader; }
    /// Returns the state of the exploration. It is stalled if there is silence, which the events cannot say.
    Snapshot snapshot() const;
    /// Begins; nothing is emitted before this call returns.
    void start();

    /// Returns what is being waited for or does not work, as a full sentence: the queue, a file that does not
    /// exist, a lost connection, silence; empty while there is news.
    QString remark() const;
    /// Returns the same without the silence, which snapshot() shows too.
    const QString& waiting() const { return m_waiting; }
    /// Time since the newest event, if it is so long that the exploration may not be alive.
    std::optional<std::chrono::seconds> silence() const;
    bool isOver() const { return m_isOver; }

signals:
    void remarkChanged(const QString& remark);
    /// Nothing is watched any more. \p problem  why, and what to do, as full sentences, if the exploration
    /// has not ended; empty if it has
    void over(const QString& problem);

private:
    void look();
    void lookAgain(std::chrono::milliseconds after);
    void takeFile(const FileLook& look);
    void takeJob(const JobLook& look);
    void takeLoss(const LostConnection& loss);
    void beginFile();
    bool isJobDue() const;
    void judgeEnd();
    void setWaiting(const QString& sentence);
    void tellRemark();
    void end(const QString& problem);
    QString endedJobSentence(const JobLook& job) const;

    const WatchTarget m_target;
    const WatchTimes m_times;
    EventReader m_reader;
    PlaceShell m_shell;
    QTimer m_timer;
    /// Path of the events; empty while it is unknown.
    QString m_path;
    QByteArray m_identity;
    qint64 m_offset = 0;
    /// Whether all that the file had was read once.
    bool m_hasCaughtUp = false;
    bool m_hasFile = false;
    std::optional<JobLook> m_job;
    QElapsedTimer m_sinceJob;
    /// Since the newest bytes, and the age that they had when they were read.
    QElapsedTimer m_sinceNews;
    std::chrono::milliseconds m_ageOfNews{0};
    QString m_waiting;
    QString m_said;
    bool m_isOver = false;
};

} // namespace batchpeak::engine
