// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/signal_relay.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>
#include <vector>

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
        TRY_COMPARE(interrupted.size(), passed);
    }

    void hearsOnceThatNobodyReads_data() { rows<bool>({{"a terminal", true}, {"a pipe", false}}); }
    void hearsOnceThatNobodyReads()
    {
        SignalRelay relay(1);
        QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
        for (int again = 0; again < 3; ++again) {
            if (row<bool>())
                raise(SIGHUP);
            SignalRelay::noteThatReaderIsGone();
        }
        TRY_COMPARE(interrupted.size(), 1);
        // It takes nothing from those who ask for an end.
        raise(SIGINT);
        TRY_COMPARE(interrupted.size(), 2);
        QVERIFY(endsTheProgram(SIGINT));
    }

    // Who waits for a step to end, and for its checkpoint, is not to take it for impatience.
    void takesTheEndOfASessionForOneSignal_data()
    {
        rows<std::vector<int>>(
            {{"as the kernel orders them", {SIGHUP, SIGTERM}}, {"as they are sent", {SIGTERM, SIGHUP}}});
    }
    void takesTheEndOfASessionForOneSignal()
    {
        SignalRelay relay(2);
        QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
        for (const int signal : row<std::vector<int>>())
            raise(signal);
        TRY_COMPARE(interrupted.size(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(interrupted.size(), 1);
        raise(SIGTERM);
        TRY_COMPARE(interrupted.size(), 2);
        QVERIFY(endsTheProgram(SIGTERM));
    }

    // As Ctrl-C ends all programs of a pipe.
    void hearsNothingOfReadersAfterAnEnd()
    {
        SignalRelay relay(2);
        QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
        raise(SIGINT);
        SignalRelay::noteThatReaderIsGone();
        raise(SIGHUP);
        TRY_COMPARE(interrupted.size(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(interrupted.size(), 1);
    }

    void survivesAWorkerThatIsGone()
    {
        const SignalRelay relay(1);
        raise(SIGPIPE);
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
