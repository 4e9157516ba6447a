// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr int patience = 30000;

/// A batchpeak whose second trial never ends.
class HangingExploration
{
public:
    explicit HangingExploration(const QStringList& options = {})
    {
        m_process.setProcessEnvironment(environmentWithoutDisplay());
        m_process.start(QStringLiteral(BATCHPEAK_PROGRAM),
                        exploreArguments(QStringLiteral("trial=hang@2 ignore-cancel"), options));
    }

    ~HangingExploration()
    {
        m_process.kill();
        m_process.waitForFinished(patience);
    }

    QProcess& process() { return m_process; }
    QString out() const { return QString::fromUtf8(m_out); }

    /// Waits for \p text on stdout, up to the test's patience.
    bool waitFor(const QByteArray& text)
    {
        while (!m_out.contains(text)) {
            if (!m_process.waitForReadyRead(patience))
                return false;
            m_out += m_process.readAllStandardOutput();
        }
        return true;
    }
    void signal(int number) { kill(static_cast<pid_t>(m_process.processId()), number); }
    bool waitForEnd()
    {
        const bool ended = m_process.waitForFinished(patience);
        m_out += m_process.readAllStandardOutput();
        return ended;
    }
    /// Processes started by the program, while it lives.
    QStringList children() const
    {
        const QString path = QStringLiteral("/proc/%1/task/%1/children").arg(m_process.processId());
        return QString::fromUtf8(bytesOf(path)).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }

private:
    QProcess m_process;
    QByteArray m_out;
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
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("terminated") << SIGTERM;
    }
    void saysTheBestSoFarAndLeavesNoWorker()
    {
        QFETCH(int, signal);
        HangingExploration exploration;
        QVERIFY(exploration.waitFor("BEXP202"));
        const QStringList workers = exploration.children();
        QCOMPARE(workers.size(), 1);
        exploration.signal(signal);
        QVERIFY(exploration.waitForEnd());
        QCOMPARE(exploration.process().exitStatus(), QProcess::NormalExit);
        QCOMPARE(exploration.process().exitCode(), 130);
        QVERIFY2(exploration.out().contains(QStringLiteral("micro_batch_size: 1\n")),
                 qPrintable(exploration.out()));
        QVERIFY2(exploration.out().contains(QStringLiteral("interrupted")), qPrintable(exploration.out()));
        QTRY_VERIFY(!isAlive(workers.front()));
    }

    void endsAtOnceAtTheSecondSignal()
    {
        HangingExploration exploration;
        QVERIFY(exploration.waitFor("BEXP202"));
        const QStringList workers = exploration.children();
        exploration.signal(SIGINT);
        QVERIFY(exploration.waitFor("interrupted"));
        exploration.signal(SIGINT);
        QVERIFY(exploration.waitForEnd());
        QCOMPARE(exploration.process().exitStatus(), QProcess::CrashExit);
        QTRY_VERIFY(!isAlive(workers.front()));
    }

    void leavesNoWorkerWhenItIsKilled()
    {
        HangingExploration exploration;
        QVERIFY(exploration.waitFor("BEXP202"));
        const QStringList workers = exploration.children();
        QCOMPARE(workers.size(), 1);
        exploration.signal(SIGKILL);
        QVERIFY(exploration.waitForEnd());
        QTRY_VERIFY(!isAlive(workers.front()));
    }

    void goesOnAfterTheWorkerWasKilled()
    {
        HangingExploration exploration({QStringLiteral("--setting"), QStringLiteral("explore"),
                                        QStringLiteral("--max-trials"), QStringLiteral("2")});
        QVERIFY(exploration.waitFor("BEXP202"));
        const QStringList workers = exploration.children();
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
        process.start(QStringLiteral(BATCHPEAK_PROGRAM), exploreArguments(QStringLiteral("trial=hang@2")));
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
        QVERIFY(process.waitForFinished(patience));
        close(master);
    }
};

BATCHPEAK_TEST(ExploreInterruptTest)
#include "tst_explore_interrupt.moc"
