// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace {

/// A batchpeak whose second trial never ends, and that has ended its first.
class HangingExploration : public RunningProgram
{
public:
    explicit HangingExploration(const char* options = "")
        : RunningProgram(exploreArguments("trial=hang@2 ignore-cancel", words(options))),
          m_workers(waitForAnswer("BEXP202") ? children() : QStringList())
    {}

    /// Its one worker; none where it has recommended nothing.
    QStringList workers() const { return m_workers; }

    /// Processes started by the program, while it lives.
    QStringList children()
    {
        const QString path = QStringLiteral("/proc/%1/task/%1/children").arg(process().processId());
        return QString::fromUtf8(bytesOf(path)).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }

private:
    QStringList m_workers;
};

bool isAlive(const QString& processId)
{
    const QByteArray status = bytesOf(QStringLiteral("/proc/%1/stat").arg(processId));
    return !status.isEmpty() && !status.contains(") Z ");
}

} // namespace

class ExploreInterruptTest : public QObject
{
    Q_OBJECT

private slots:
    void saysTheBestSoFarAndLeavesNoWorker_data()
    {
        rows<int>({{"Ctrl-C", SIGINT}, {"terminated", SIGTERM}});
    }
    void saysTheBestSoFarAndLeavesNoWorker()
    {
        HangingExploration exploration;
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        exploration.send(row<int>());
        QVERIFY(exploration.waitForEnd());
        QCOMPARE(exploration.process().exitStatus(), QProcess::NormalExit);
        QCOMPARE(exploration.process().exitCode(), 130);
        QVERIFY2(exploration.out().contains("micro_batch_size: 1\n"), exploration.out());
        QVERIFY2(exploration.out().contains("interrupted"), exploration.out());
        QTRY_VERIFY(!isAlive(workers.front()));
    }

    void endsAtOnceAtTheSecondSignal()
    {
        HangingExploration exploration;
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        exploration.send(SIGINT);
        QVERIFY(exploration.waitForAnswer("interrupted"));
        exploration.send(SIGINT);
        QVERIFY(exploration.waitForEnd());
        QCOMPARE(exploration.process().exitStatus(), QProcess::CrashExit);
        QTRY_VERIFY(!isAlive(workers.front()));
    }

    void leavesNoWorkerWhenItIsKilled()
    {
        HangingExploration exploration;
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        exploration.send(SIGKILL);
        QVERIFY(exploration.waitForEnd());
        QTRY_VERIFY(!isAlive(workers.front()));
    }

    void goesOnAfterTheWorkerWasKilled()
    {
        HangingExploration exploration("--setting explore --max-trials 2");
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        kill(workers.front().toInt(), SIGKILL);
        QTRY_VERIFY(!exploration.children().isEmpty() && exploration.children() != workers);
    }

    void drawsALiveLineOnATerminal()
    {
        const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (master < 0)
            QSKIP("This system has no pseudo-terminals to draw the line on.");
        QVERIFY(grantpt(master) == 0 && unlockpt(master) == 0);
        const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        QVERIFY(terminal >= 0);
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.setChildProcessModifier([terminal] { dup2(terminal, STDERR_FILENO); });
        process.start(QStringLiteral(BATCHPEAK_PROGRAM), exploreArguments("trial=hang@2"));
        QVERIFY(process.waitForStarted());
        close(terminal);

        QByteArray drawn;
        fcntl(master, F_SETFL, O_NONBLOCK);
        const auto shows = [&](const char* text) {
            std::array<char, 4096> buffer{};
            for (ssize_t count = 0; (count = read(master, buffer.data(), buffer.size())) > 0;)
                drawn.append(buffer.data(), count);
            return drawn.contains(text);
        };
        QTRY_VERIFY(shows("\r\033[K"));
        QTRY_VERIFY(shows("trial 2"));
        process.kill();
        QVERIFY(process.waitForFinished());
        close(master);
    }
};

BATCHPEAK_TEST(ExploreInterruptTest)
#include "tst_explore_interrupt.moc"
