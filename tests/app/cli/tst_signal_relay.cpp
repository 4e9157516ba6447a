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
    void passesTheFirstSignalsAndLeavesTheNextToTheSystem_data() { rows<int>({{"one", 1}, {"two", 2}}); }
    void passesTheFirstSignalsAndLeavesTheNextToTheSystem()
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

    void reportsOnceThatTheReaderIsGone_data() { rows<bool>({{"a terminal", true}, {"a pipe", false}}); }
    void reportsOnceThatTheReaderIsGone()
    {
        SignalRelay relay(1);
        QSignalSpy interrupted(&relay, &SignalRelay::interrupted);
        for (int again = 0; again < 3; ++again) {
            if (row<bool>())
                raise(SIGHUP);
            SignalRelay::noteThatReaderIsGone();
        }
        TRY_COMPARE(interrupted.size(), 1);
        // It does not use up the signals that request an end.
        raise(SIGINT);
        TRY_COMPARE(interrupted.size(), 2);
        QVERIFY(endsTheProgram(SIGINT));
    }

    // The second signal of a session that ends must not count as a second request, which would end the
    // program during a step or its checkpoint.
    void countsTheEndOfASessionAsOneSignal_data()
    {
        rows<std::vector<int>>(
            {{"as the kernel orders them", {SIGHUP, SIGTERM}}, {"as they are sent", {SIGTERM, SIGHUP}}});
    }
    void countsTheEndOfASessionAsOneSignal()
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

    // Ctrl-C ends all programs of a pipeline, so the reader is gone as well.
    void ignoresReadersThatAreGoneAfterAnEnd()
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

    void survivesABrokenPipe()
    {
        const SignalRelay relay(1);
        raise(SIGPIPE);
    }

    // nohup starts programs with SIGHUP ignored.
    void keepsIgnoredSignalsIgnored()
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

    void restoresTheDefaultActionsWhenDestroyed()
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
