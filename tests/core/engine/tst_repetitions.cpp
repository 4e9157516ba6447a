// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// What becomes of trials that something disturbed, from the worker's flag to what the search is told.
class RepetitionsTest : public QObject
{
    Q_OBJECT

private slots:
    void repeatsWhatWasDisturbed_data();
    void repeatsWhatWasDisturbed();
    void marksWhatItRepeats();
    void tellsTheSearchOneReading();
    void losesItsPatience();
    void keepsTheBudgetOfTrials();
    void keepsWhatItHasWhenStopped();
    void pausesBeforeARepetition();
    void repeatsAVerificationInAFreshProcess();
    void repeatsOnTheSameDevice();
};

void RepetitionsTest::repeatsWhatWasDisturbed_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("trials");
    QTest::addColumn<int>("recommended");
    const auto row = [](const char* name, const char* words, const char* trials, int recommended) {
        QTest::newRow(name) << QString::fromUtf8(words) << QString::fromUtf8(trials) << recommended;
    };
    row("once", "trial=disturbed@2*1", "1 ok, 2 ok, 2 ok, 4 ok", 4);
    row("twice", "trial=disturbed@2*2", "1 ok, 2 ok, 2 ok, 2 ok, 4 ok", 4);
    row("always", "trial=disturbed@2", "1 ok, 2 ok, 2 ok, 2 ok, 4 ok", 4);
    row("then out of memory", "trial=disturbed@4*1 trial=oom@4", "1 ok, 2 ok, 4 ok, 4 oom", 2);
    row("then unsupported", "trial=disturbed@4*1 trial=unsupported@4", "1 ok, 2 ok, 4 ok, 4 unsupported", 2);
    row("then failed", "trial=disturbed@4*1 trial=failed@4", "1 ok, 2 ok, 4 ok, 4 failed", 4);
    row("then the worker is lost", "trial=disturbed@4*1 trial=kill@4", "1 ok, 2 ok, 4 ok, 4 crashed", 4);
    row("slow while disturbed", "trial=disturbed-slow@4*1", "1 ok, 2 ok, 4 ok, 4 ok", 4);
    row("slow always", "trial=disturbed-slow@4", "1 ok, 2 ok, 4 ok, 4 ok, 4 ok", 2);
}

void RepetitionsTest::repeatsWhatWasDisturbed()
{
    QFETCH(QString, words);
    QFETCH(QString, trials);
    QFETCH(int, recommended);
    ExplorationHarness harness(words.split(QLatin1Char(' ')));
    QVERIFY(harness.runToEnd());
    QVERIFY2(harness.snapshot().finish == FinishStatus::Exhausted, qPrintable(harness.log()));
    QCOMPARE(harness.trials(), trials);
    QCOMPARE(harness.snapshot().searchState.recommendation->size, recommended);
    QVERIFY(harness.isNoWorkerLeft());
}

void RepetitionsTest::marksWhatItRepeats()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed@2*1")});
    QVERIFY(harness.runToEnd());
    const auto& trials = harness.snapshot().trials;
    QVERIFY(trials[1].disturbed);
    QCOMPARE(trials[1].flags, std::vector<std::string>{"disturbed: other programs used 1.0 of 2 processors"});
    QCOMPARE(trials[1].repetition, 0);
    QVERIFY(!trials[2].disturbed);
    QCOMPARE(trials[2].repetition, 1);
    QCOMPARE(trials[2].flags, std::vector<std::string>{"repetition"});
    QVERIFY(harness.log().contains(QStringLiteral("Something disturbed trial 2: 2 is tried once more.")));
    QVERIFY(harness.log().contains(QStringLiteral("Trial 3: 2 on cpu, once more.")));
}

void RepetitionsTest::tellsTheSearchOneReading()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed-slow@2*1"),
                                QStringLiteral("trial=disturbed@2"), QStringLiteral("trial=disturbed@4*2")});
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.told.size(), 3U);
    // The first of three took twice as long as the others.
    QCOMPARE(harness.told[1].secondsPerStep, 0.012);
    QVERIFY(harness.told[1].disturbed);
    QCOMPARE(harness.told[1].discardedTrials, 2);
    QVERIFY(!harness.told[2].disturbed);
    QCOMPARE(harness.told[2].discardedTrials, 2);
}

void RepetitionsTest::losesItsPatience()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed")}, {1, 2, 3, 4, 5});
    harness.options.verify = true;
    QVERIFY(harness.runToEnd());
    // The verification is not repeated either.
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 ok, 1 ok, 2 ok, 2 ok, 2 ok, 3 ok, 3 ok, 3 ok, 4 ok, "
                                              "5 ok, 5 ok"));
    QCOMPARE(harness.log().count(QStringLiteral("cpu is never calm")), 1);
    QCOMPARE(harness.told.size(), 5U);
}

void RepetitionsTest::keepsTheBudgetOfTrials()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed")}, {1, 2, 4});
    harness.options.maxTrials = 4;
    QVERIFY(harness.runToEnd());
    // The scripted search knows no budget; what it is told, a real one counts.
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 ok, 1 ok, 2 ok, 4 ok"));
    QCOMPARE(harness.told[0].discardedTrials + harness.told[1].discardedTrials, 2);
}

void RepetitionsTest::keepsWhatItHasWhenStopped()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed@1*1"), QStringLiteral("trial=hang@1")});
    harness.exploration().start();
    QTRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 1 running"));
    QVERIFY(!harness.snapshot().searchState.recommendation);
    harness.exploration().stop();
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 cancelled"));
    QCOMPARE(harness.snapshot().searchState.recommendation->size, 1);
    QVERIFY(harness.told.front().disturbed);
}

void RepetitionsTest::pausesBeforeARepetition()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed@2*1")});
    engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [&](const auto& started) {
        if (started.trial.number == 2)
            harness.exploration().pause();
    });
    harness.exploration().start();
    QTRY_COMPARE(harness.snapshot().state, State::Paused);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok"));
    harness.exploration().resume();
    QTRY_COMPARE(harness.finishedSignals(), 1);
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 2 ok, 4 ok"));
    QCOMPARE(harness.snapshot().trials[2].repetition, 1);
}

void RepetitionsTest::repeatsAVerificationInAFreshProcess()
{
    ExplorationHarness harness({QStringLiteral("trial=disturbed-slow@4"), QStringLiteral("starts"),
                                QStringLiteral("after=1"), QStringLiteral("until=2")});
    harness.options.verify = true;
    QSet<qint64> processes;
    engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [&](const auto&) {
        processes.insert(harness.snapshot().devices.front().workerPid);
    });
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 4 ok, 4 ok, 4 ok"));
    QCOMPARE(processes.size(), 3);
    QVERIFY(harness.snapshot().trials[4].isVerification);
    QCOMPARE(harness.snapshot().trials[4].repetition, 1);
    QCOMPARE(harness.snapshot().verification->outcome, engine::Verification::Outcome::Confirmed);
    QVERIFY(harness.log().contains(QStringLiteral("Something disturbed trial 4")));
}

void RepetitionsTest::repeatsOnTheSameDevice()
{
    // One device waits for the other, and is free when that one has a trial to repeat.
    ExplorationHarness harness({QStringLiteral("trial=disturbed@1*1")}, {1});
    harness.parts.localDevices = [] {
        return std::vector<device::LocalDevice>{{.kind = "cuda", .index = 0}, {.kind = "cuda", .index = 1}};
    };
    QVERIFY(harness.runToEnd());
    QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 ok"));
    QCOMPARE(harness.snapshot().trials[0].device, harness.snapshot().trials[1].device);
}

BATCHPEAK_TEST(RepetitionsTest)
#include "tst_repetitions.moc"
