// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/processes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/process_group.h"

#include <QProcess>
#include <QTest>

using namespace batchpeak;

namespace {

struct Ending
{
    /// Exit code of the leader; empty if it is killed.
    const char* code;
    /// Whether the process in another session survives.
    bool isLeft;
};

} // namespace

class ProcessGroupTest : public QObject
{
    Q_OBJECT

private slots:
    // If a launcher fails, the processes that it has started must not keep the memory of a device.
    void endsAProcessInAnotherSession_data()
    {
        rows<Ending>({{"failed", {"1", false}}, {"killed", {"", false}}, {"ended well", {"0", true}}});
    }
    void endsAProcessInAnotherSession()
    {
        const Ending& ending = row<Ending>();
        QProcess leader;
        engine::leadOwnGroup(leader);
        leader.start(QStringLiteral("sh"),
                     {QStringLiteral("-c"), QStringLiteral("setsid sh -c 'echo $$; exec sleep 600' & "
                                                           "read -r code; exit $code")});
        QVERIFY(leader.waitForReadyRead(test::longestWaitMilliseconds));
        const qint64 other = leader.readLine().trimmed().toLongLong();
        QVERIFY(test::isAlive(other));
        if (*ending.code == '\0')
            test::sendSignal(leader.processId(), SIGKILL);
        else
            leader.write(QByteArray(ending.code) + '\n');
        QVERIFY(leader.waitForFinished(test::longestWaitMilliseconds));
        if (!ending.isLeft)
            TRY_VERIFY(!test::isAlive(other));
        QCOMPARE(test::isAlive(other), ending.isLeft);
        test::sendSignal(other, SIGKILL);
    }
};

BATCHPEAK_TEST(ProcessGroupTest)
#include "tst_process_group.moc"
