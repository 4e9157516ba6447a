// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/signal_relay.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

using batchpeak::cli::SignalRelay;

namespace {

bool endsTheProgram(int signal)
{
    struct sigaction action
    {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_DFL;
}

} // namespace

class SignalRelayTest : public QObject
{
    Q_OBJECT

private slots:
    void passesSoManySignalsAndLeavesTheNextToTheSystem_data() { rows<int>({{"one", 1}, {"two", 2}}); }
    void passesSoManySignalsAndLeavesTheNextToTheSystem()
    {
        const int passed = row<int>();
        SignalRelay relay(passed);
        QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
        for (int signal = 0; signal < passed; ++signal) {
            QVERIFY(!endsTheProgram(SIGINT));
            raise(signal % 2 == 0 ? SIGINT : SIGTERM);
        }
        QVERIFY(endsTheProgram(SIGINT));
        QVERIFY(endsTheProgram(SIGTERM));
        QTRY_COMPARE(interrupted.size(), passed);
    }

    void hearsOnceThatNobodyReads_data() { rows<int>({{"a terminal", SIGHUP}, {"a pipe", SIGPIPE}}); }
    void hearsOnceThatNobodyReads()
    {
        SignalRelay relay(1);
        QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
        for (int again = 0; again < 3; ++again)
            raise(row<int>());
        QTRY_COMPARE(interrupted.size(), 1);
        // It takes nothing from those who ask for an end.
        raise(SIGTERM);
        QTRY_COMPARE(interrupted.size(), 2);
        QVERIFY(endsTheProgram(SIGINT));
    }

    // As nohup starts a program.
    void leavesAloneWhatIsIgnored()
    {
        std::signal(SIGHUP, SIG_IGN);
        {
            SignalRelay relay(1);
            QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
            raise(SIGHUP);
            QCoreApplication::processEvents();
            QVERIFY(interrupted.isEmpty());
        }
        QVERIFY(!endsTheProgram(SIGHUP));
        std::signal(SIGHUP, SIG_DFL);
    }

    void leavesAllToTheSystemWhenItIsGone()
    {
        {
            const SignalRelay relay(2);
            QVERIFY(!endsTheProgram(SIGTERM));
            QVERIFY(!endsTheProgram(SIGHUP));
        }
        QVERIFY(endsTheProgram(SIGTERM));
        QVERIFY(endsTheProgram(SIGHUP));
    }
};

BATCHPEAK_TEST(SignalRelayTest)
#include "tst_signal_relay.moc"
