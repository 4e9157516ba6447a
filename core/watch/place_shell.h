// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "options/place.h"
#include "workers/place_launch.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

namespace batchpeak::engine {

/// What a look at a file has found.
struct FileLook
{
    bool exists = false;
    /// What tells the file from another one at the same path; empty while the file is too short to tell.
    QByteArray identity = {};
    qint64 size = 0;
    /// What follows the offset, or its beginning.
    QByteArray bytes = {};
    /// Why it cannot be read, as a full sentence; empty if it can.
    QString problem = {};
};

/// Looks at a file of this computer. It does not wait for anything, so that a pipe is no file.
FileLook lookedAt(const QString& path, qint64 offset);

/// What Slurm says of a job.
struct JobLook
{
    /// Whether Slurm still knows the job, which it forgets some minutes after its end (MinJobAge).
    bool isKnown = false;
    /// "RUNNING", "PENDING"
    QString state = {};
    /// Why it waits: "Resources"
    QString reason = {};
    /// Path of the events by its batch script, or of the only file in the working folder that is named so;
    /// empty if there is none.
    QString events = {};
    /// Why Slurm could not be asked; empty if it could.
    QString problem = {};

    bool hasEnded() const;
};

/// Reads the answer of `scontrol show job`, followed by the batch script and by files of the folder.
JobLook jobLookFrom(const QString& text, const QString& job);

/// Looks at files and jobs in one shell: of another computer, over one connection, or of this one.
///
/// The shell ends when nothing has asked it for 20 seconds, however the connection was lost, or at once when
/// this object is destroyed.
class PlaceShell : public QObject
{
    Q_OBJECT

public:
    /// \param place  empty for this computer
    explicit PlaceShell(std::optional<Place> place, QObject* parent = nullptr);
    ~PlaceShell() override;

    // One question at a time: after each, one of the signals follows, not before the call returns.
    void lookAtFile(const QString& path, qint64 offset);
    void lookAtJob(const QString& job);

signals:
    void fileSeen(const batchpeak::engine::FileLook& look);
    void jobSeen(const batchpeak::engine::JobLook& look);
    /// The connection was lost, or there was none. The next question makes another one.
    void lost(const batchpeak::engine::LostConnection& loss);

private:
    void ask(const QByteArray& question);
    void start();
    void readAnswers();
    void takeAnswer(const QByteArray& line);
    void lose(const WorkerEnd& end);
    void endProcess();

    const std::optional<Place> m_place;
    std::unique_ptr<QProcess> m_process;
    qint64 m_group = 0;
    QByteArray m_output;
    QByteArray m_errors;
    QString m_job;
    QTimer m_patience;
    bool m_isBusy = false;
};

} // namespace batchpeak::engine
