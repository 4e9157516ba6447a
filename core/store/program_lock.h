// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QtGlobal>

#include <optional>
#include <utility>

namespace batchpeak::store {

/// A lock that one program may hold at a time: while it is held, no other lock on the same file can be taken,
/// by this program or another.
///
/// The kernel manages the lock (flock) and releases it with its program, however that ends. This also works
/// if the container has been replaced, or on another computer that shares the disk, where nobody could tell
/// whether a process is still alive. The contents of the file are only for people, and may name a program
/// that has ended.
class ProgramLock
{
public:
    enum class Outcome {
        Taken,
        /// Held in this program or another.
        HeldByAnother,
        /// No file can be created there.
        NoFile,
        /// The file system has no locks, so that nothing excludes other programs.
        NoLocks
    };
    struct Holder
    {
        qint64 pid = 0;
        QString host;
    };

    /// \param path  path of the lock's own file, which is created when the lock is taken and removed when it
    ///              is released
    explicit ProgramLock(QString path) : m_path(std::move(path)) {}
    /// Releases the lock.
    ~ProgramLock();
    Q_DISABLE_COPY_MOVE(ProgramLock)

    /// Takes the lock without waiting. If somebody has removed or moved its file, the lock is taken again.
    Outcome take();
    bool isTaken() const { return m_descriptor >= 0; }
    const QString& path() const { return m_path; }
    /// Whether the lock is taken and excludes others: its file still exists under its name.
    bool isInForce() const;
    /// Returns who last wrote the file; nothing if it cannot be read.
    std::optional<Holder> holder() const;

    /// Whether somebody holds the lock; false if this cannot be determined.
    static bool isHeld(const QString& path);

private:
    void giveBack();
    void sayWhoHoldsIt() const;

    QString m_path;
    int m_descriptor = -1;
};

} // namespace batchpeak::store
