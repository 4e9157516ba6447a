// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/program_lock.h"
#include "support/files.h"
#include "support/processes.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace batchpeak::test;
using batchpeak::store::ProgramLock;
using Outcome = ProgramLock::Outcome;

/// Tests which program may hold a lock, and for how long.
class ProgramLockTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(QStringLiteral("l.lock"));
    }

    void isHeldByOneProgramAtATime()
    {
        {
            ProgramLock first(m_path);
            ProgramLock second(m_path);
            QVERIFY(!ProgramLock::isHeld(m_path));
            QCOMPARE(first.take(), Outcome::Taken);
            QCOMPARE(first.take(), Outcome::Taken);
            QCOMPARE(second.take(), Outcome::HeldByAnother);
            QVERIFY(ProgramLock::isHeld(m_path));
            QCOMPARE(second.holder()->pid, ::getpid());
            QCOMPARE(second.holder()->host, QSysInfo::machineHostName());
        }
        QVERIFY(!ProgramLock::isHeld(m_path));
        QVERIFY(!QFileInfo::exists(m_path));
    }

    void endsWithItsProgram()
    {
        std::array<int, 2> held{};
        QCOMPARE(::pipe(held.data()), 0);
        const pid_t other = ::fork();
        if (other == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ProgramLock lock(m_path);
            const char byte = lock.take() == Outcome::Taken ? 1 : 0;
            [[maybe_unused]] const auto written = ::write(held[1], &byte, 1);
            ::pause();
            ::_exit(0);
        }
        char byte = 0;
        QCOMPARE(::read(held[0], &byte, 1), 1);
        QCOMPARE(byte, 1);
        ProgramLock lock(m_path);
        QCOMPARE(lock.take(), Outcome::HeldByAnother);
        QCOMPARE(lock.holder()->pid, other);
        sendSignal(other, SIGKILL);
        QCOMPARE(::waitpid(other, nullptr, 0), other);
        QVERIFY(QFileInfo::exists(m_path));
        QVERIFY(!ProgramLock::isHeld(m_path));
        QCOMPARE(lock.take(), Outcome::Taken);
        ::close(held[0]);
        ::close(held[1]);
    }

    // A file that was left holds no lock, whatever its contents: its computer may be gone, or its process ID
    // reused, like the first one of each container.
    void ignoresFilesThatWereLeft_data()
    {
        const QByteArray here = QSysInfo::machineHostName().toUtf8();
        const QByteArray own = QByteArray::number(::getpid());
        rows<QByteArray>({{"another computer's", "7\nbatchpeak\nc0ffee\n1234\n5678\n"},
                          {"of the number that this one has", own + "\nbatchpeak\n" + here + "\n"},
                          {"of a process that lives", "1\nbatchpeak\n" + here + "\n"},
                          {"nothing", ""},
                          {"nonsense", "x"}});
    }
    void ignoresFilesThatWereLeft()
    {
        writeFile(m_path, row<QByteArray>());
        QVERIFY(!ProgramLock::isHeld(m_path));
        ProgramLock lock(m_path);
        QCOMPARE(lock.take(), Outcome::Taken);
        QCOMPARE(lock.holder()->pid, ::getpid());
    }

    // Otherwise, a worker that SIGKILL does not end would hold the lock forever.
    void isNotPassedOnToChildren()
    {
        ProgramLock lock(m_path);
        QCOMPARE(lock.take(), Outcome::Taken);
        int found = 0;
        const QDir descriptors(QStringLiteral("/proc/self/fd"));
        for (const QFileInfo& open : descriptors.entryInfoList(QDir::Files | QDir::System)) {
            if (open.symLinkTarget() != m_path)
                continue;
            ++found;
            QVERIFY((::fcntl(open.fileName().toInt(), F_GETFD) & FD_CLOEXEC) != 0);
        }
        QCOMPARE(found, 1);
    }

    void keepsTheFileOfTheNextHolder()
    {
        auto first = std::make_unique<ProgramLock>(m_path);
        QCOMPARE(first->take(), Outcome::Taken);
        QVERIFY(QFile::remove(m_path));
        ProgramLock second(m_path);
        QCOMPARE(second.take(), Outcome::Taken);
        first.reset();
        QVERIFY(ProgramLock::isHeld(m_path));
        QVERIFY(QFileInfo::exists(m_path));
    }

    void isTakenAgainIfItsFileIsGone()
    {
        ProgramLock lock(m_path);
        QCOMPARE(lock.take(), Outcome::Taken);
        QVERIFY(lock.isInForce());
        QVERIFY(QFile::remove(m_path));
        QVERIFY(!lock.isInForce());
        QVERIFY(!ProgramLock::isHeld(m_path));
        QCOMPARE(lock.take(), Outcome::Taken);
        QVERIFY(lock.isInForce());
        QVERIFY(ProgramLock::isHeld(m_path));
    }

    void writesThroughNoLink()
    {
        const QString notes = m_folder->filePath(QStringLiteral("notes"));
        writeFile(notes, "precious");
        QVERIFY(QFile::link(notes, m_path));
        QCOMPARE(ProgramLock(m_path).take(), Outcome::NoFile);
        QCOMPARE(readFile(notes), QByteArray("precious"));
    }

    void reportsPlacesWithoutLocks()
    {
        QCOMPARE(ProgramLock(QStringLiteral("/proc/l.lock")).take(), Outcome::NoFile);
        const RefusingDisk without(m_folder->path(), ENOLCK);
        ProgramLock lock(m_path);
        QCOMPARE(lock.take(), Outcome::NoLocks);
        QVERIFY(!lock.isTaken());
        QVERIFY(!ProgramLock::isHeld(m_path));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

BATCHPEAK_TEST(ProgramLockTest)
#include "tst_program_lock.moc"
