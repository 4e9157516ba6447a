// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QtGlobal>

#include <optional>
#include <utility>

namespace batchpeak::store {

/// What one program may do at a time: while it lives, no other lock on the same file can be taken, by this
/// program or another.
///
/// The kernel decides (flock) and drops the lock with its program, however that ends: also in a container
/// that is another one since, or on another computer that shares the disk, where nobody could tell whether a
/// process still lives. What stands in the file is for people alone, and may be of a program that is gone.
class ProgramLock
{
public:
    enum class Outcome {
        Taken,
        /// In this program or another.
        HeldByAnother,
        /// Nothing can be written there.
        NoFile,
        /// That file system has none, so that nothing keeps others away.
        NoLocks
    };
    struct Holder
    {
        qint64 pid = 0;
        QString host;
    };

    /// \param path  of the lock's own file, made when it is taken and removed when it is given back
    explicit ProgramLock(QString path) : m_path(std::move(path)) {}
    /// Gives it back.
    ~ProgramLock();
    Q_DISABLE_COPY_MOVE(ProgramLock)

    /// Does not wait. One whose file somebody has removed, or moved, is taken anew.
    Outcome take();
    bool isTaken() const { return m_descriptor >= 0; }
    const QString& path() const { return m_path; }
    /// Whether it is taken, and keeps others away: its file is there under its name still.
    bool isInForce() const;
    /// Whoever wrote the file last; nothing where that cannot be read.
    std::optional<Holder> holder() const;

    /// Whether somebody holds it; not where that cannot be known.
    static bool isHeld(const QString& path);

private:
    void giveBack();
    void sayWhoHoldsIt() const;

    QString m_path;
    int m_descriptor = -1;
};

} // namespace batchpeak::store
