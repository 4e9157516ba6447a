// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_lock.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QFile>
#include <QList>
#include <QSysInfo>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::store {

namespace {

constexpr mode_t rights = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
/// Flags of every open(): child programs do not inherit the lock, a link does not lead to somebody's file,
/// and a pipe in its place does not block.
constexpr int always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

/// Opens or creates the file. A file that another user's killed program left behind can be locked just as
/// well.
int openOrMake(const QByteArray& path)
{
    const int descriptor = ::open(path.constData(), O_RDWR | O_CREAT | always, rights);
    return descriptor < 0 && errno == EACCES ? ::open(path.constData(), O_RDONLY | always) : descriptor;
}

/// \return 0, or the system's error number
int lock(int descriptor, int kind)
{
    int result = 0;
    do {
        result = ::flock(descriptor, kind | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

/// Whether the file still exists: whoever released the lock has removed its file, and a lock on that file
/// would not exclude anybody.
bool isStillThere(int descriptor, const QByteArray& path)
{
    struct stat open
    {};
    struct stat named
    {};
    return ::fstat(descriptor, &open) == 0 && ::lstat(path.constData(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

} // namespace

ProgramLock::~ProgramLock()
{
    giveBack();
}

void ProgramLock::giveBack()
{
    if (!isTaken())
        return;
    // The file is removed while the lock is held, so that nobody else's file is removed.
    const QByteArray path = QFile::encodeName(m_path);
    if (isStillThere(m_descriptor, path))
        ::unlink(path.constData());
    // A child process between fork and exec still has the file open.
    ::flock(m_descriptor, LOCK_UN);
    ::close(m_descriptor);
    m_descriptor = -1;
}

bool ProgramLock::isInForce() const
{
    return isTaken() && isStillThere(m_descriptor, QFile::encodeName(m_path));
}

ProgramLock::Outcome ProgramLock::take()
{
    if (isInForce())
        return Outcome::Taken;
    // Another attempt is needed only if somebody has released the lock at this moment.
    constexpr int attempts = 100;
    const QByteArray path = QFile::encodeName(m_path);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int descriptor = openOrMake(path);
        if (descriptor < 0)
            return Outcome::NoFile;
        if (const int reason = lock(descriptor, LOCK_EX); reason != 0) {
            ::close(descriptor);
            return reason == EWOULDBLOCK ? Outcome::HeldByAnother : Outcome::NoLocks;
        }
        if (isStillThere(descriptor, path)) {
            giveBack();
            m_descriptor = descriptor;
            sayWhoHoldsIt();
            return Outcome::Taken;
        }
        ::close(descriptor);
    }
    return Outcome::NoLocks;
}

/// Writes the lines of QLockFile, by which older programs check whether the process is alive. A failure to
/// write has no consequence.
void ProgramLock::sayWhoHoldsIt() const
{
    const QByteArray text = QByteArray::number(QCoreApplication::applicationPid()) + '\n' +
                            QCoreApplication::applicationName().toUtf8() + '\n' +
                            QSysInfo::machineHostName().toUtf8() + '\n';
    if (::ftruncate(m_descriptor, 0) != 0)
        return;
    [[maybe_unused]] const auto written =
        ::pwrite(m_descriptor, text.constData(), static_cast<std::size_t>(text.size()), 0);
}

std::optional<ProgramLock::Holder> ProgramLock::holder() const
{
    constexpr qint64 maxBytes = 4096;
    QFile file(m_path);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QList<QByteArray> lines = file.read(maxBytes).split('\n');
    bool isNumber = false;
    const qint64 pid = lines.front().toLongLong(&isNumber);
    if (!isNumber || lines.size() < 3)
        return std::nullopt;
    return Holder{.pid = pid, .host = QString::fromUtf8(lines[2])};
}

bool ProgramLock::isHeld(const QString& path)
{
    const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | always);
    if (descriptor < 0)
        return false;
    const bool isHeld = lock(descriptor, LOCK_SH) == EWOULDBLOCK;
    ::close(descriptor);
    return isHeld;
}

} // namespace batchpeak::store
