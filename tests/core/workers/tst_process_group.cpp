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
    /// Of the leader; nothing where it is killed.
    const char* code;
    /// What it started in another session.
    bool isLeft;
};

} // namespace

class ProcessGroupTest : public QObject
{
    Q_OBJECT

private slots:
    // As the processes of a launcher that fails, which hold the memory of a device.
    void endsWhatWasStartedInAnotherSession_data()
    {
        rows<Ending>({{"failed", {"1", false}}, {"killed", {"", false}}, {"ended well", {"0", true}}});
    }
    void endsWhatWasStartedInAnotherSession()
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
