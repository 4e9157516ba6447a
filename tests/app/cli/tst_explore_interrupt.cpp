// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/processes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <csignal>
#include <cstdlib>

namespace {

/// Returns the ids of the processes that a running process has started.
QStringList childrenOf(qint64 pid)
{
    const QString path = QStringLiteral("/proc/%1/task/%1/children").arg(pid);
    return QString::fromUtf8(bytesOf(path)).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// A running batchpeak whose first trial has ended and whose second never ends.
class HangingExploration : public RunningProgram
{
public:
    explicit HangingExploration(const QStringList& options = {})
        : RunningProgram(exploreArguments("trial=hang@2 ignore-cancel", options)),
          m_workers(waitForAnswer("BEXP202") ? children() : QStringList())
    {}

    /// Returns the process id of its only worker; empty if it has not recommended a size.
    QStringList workers() const { return m_workers; }

    QStringList children() { return childrenOf(process().processId()); }

private:
    QStringList m_workers;
};

} // namespace

class ExploreInterruptTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTheBestSizeAndEndsItsWorker_data()
    {
        rows<int>({{"Ctrl-C", SIGINT}, {"terminated", SIGTERM}, {"hung up", SIGHUP}});
    }
    void reportsTheBestSizeAndEndsItsWorker()
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
        TRY_VERIFY(!batchpeak::test::isAlive(workers.front().toLongLong()));
    }

    // The first line is printed before the worker starts, and the reader is gone when later lines follow.
    void endsWhenTheReaderIsGone()
    {
        const ProgramRun run = runIntoHead(exploreArguments("start=late trial=hang@4"), 1);
        QVERIFY2(run.exitCode == 130 && run.outLines().size() == 1, run.text());
    }

    void endsImmediatelyAtTheSecondSignal()
    {
        HangingExploration exploration;
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        exploration.send(SIGINT);
        QVERIFY(exploration.waitForAnswer("interrupted"));
        exploration.send(SIGINT);
        QVERIFY(exploration.waitForEnd());
        QCOMPARE(exploration.process().exitStatus(), QProcess::CrashExit);
        TRY_VERIFY(!batchpeak::test::isAlive(workers.front().toLongLong()));
    }

    void leavesNoWorkerWhenItIsKilled()
    {
        HangingExploration exploration;
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        exploration.send(SIGKILL);
        QVERIFY(exploration.waitForEnd());
        TRY_VERIFY(!batchpeak::test::isAlive(workers.front().toLongLong()));
    }

    // The data loader of a script and a launcher start such processes.
    void leavesNoProcessOfItsWorkerWhenItIsKilled()
    {
        HangingExploration exploration(
            {QStringLiteral("--launcher"), QStringLiteral("sh -c \"sleep 600 & exec $0 $@\"")});
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        const QStringList started = childrenOf(workers.front().toLongLong());
        QCOMPARE(started.size(), 1);
        exploration.send(SIGKILL);
        QVERIFY(exploration.waitForEnd());
        TRY_VERIFY(!batchpeak::test::isAlive(started.front().toLongLong()));
    }

    void continuesAfterTheWorkerWasKilled()
    {
        HangingExploration exploration(words("--setting explore --max-trials 3"));
        const QStringList workers = exploration.workers();
        QCOMPARE(workers.size(), 1);
        batchpeak::test::sendSignal(workers.front().toLongLong(), SIGKILL);
        TRY_VERIFY(!exploration.children().isEmpty() && exploration.children() != workers);
    }
};

BATCHPEAK_TEST(ExploreInterruptTest)
#include "tst_explore_interrupt.moc"
