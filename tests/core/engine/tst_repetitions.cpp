// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

/// Tests disturbed trials, from the worker's flag to what the search receives.
class RepetitionsTest : public QObject
{
    Q_OBJECT

private slots:
    void repeatsDisturbedTrials_data()
    {
        rows<Text, Text, int>(
            {{"once", {"trial=disturbed@2*1", "1 ok, 2 ok, 2 ok, 4 ok", 4}},
             {"twice", {"trial=disturbed@2*2", "1 ok, 2 ok, 2 ok, 2 ok, 4 ok", 4}},
             {"always", {"trial=disturbed@2", "1 ok, 2 ok, 2 ok, 2 ok, 4 ok", 4}},
             {"then out of memory", {"trial=disturbed@4*1 trial=oom@4", "1 ok, 2 ok, 4 ok, 4 oom", 2}},
             {"then unsupported",
              {"trial=disturbed@4*1 trial=unsupported@4", "1 ok, 2 ok, 4 ok, 4 unsupported", 2}},
             {"then failed", {"trial=disturbed@4*1 trial=failed@4", "1 ok, 2 ok, 4 ok, 4 failed", 4}},
             {"then the worker is lost",
              {"trial=disturbed@4*1 trial=kill@4", "1 ok, 2 ok, 4 ok, 4 crashed", 4}},
             {"slow while disturbed", {"trial=disturbed-slow@4*1", "1 ok, 2 ok, 4 ok, 4 ok", 4}},
             {"slow always", {"trial=disturbed-slow@4", "1 ok, 2 ok, 4 ok, 4 ok, 4 ok", 2}}});
    }
    void repeatsDisturbedTrials()
    {
        const auto& [words, trials, recommended] = row<Text, Text, int>();
        ExplorationHarness harness(words);
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), trials);
        QCOMPARE(harness.snapshot().searchState.recommendation->size, recommended);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void marksRepetitions()
    {
        ExplorationHarness harness("trial=disturbed@2*1");
        QVERIFY(harness.runToEnd());
        const auto& trials = harness.snapshot().trials;
        QVERIFY(trials[1].disturbed);
        QCOMPARE(trials[1].flags,
                 std::vector<std::string>{"disturbed: other programs used 1.0 of 2 processors"});
        QCOMPARE(trials[1].repetition, 0);
        QVERIFY(!trials[2].disturbed);
        QCOMPARE(trials[2].repetition, 1);
        QCOMPARE(trials[2].flags, std::vector<std::string>{"repetition"});
        VERIFY_CONTAINS(harness.log(), "Trial 2 was disturbed; retrying size 2.");
        VERIFY_CONTAINS(harness.log(), "Trial 3: size 2 on cpu, retry.");
    }

    void passesEachReadingToTheSearch()
    {
        ExplorationHarness harness("trial=disturbed-slow@2*1 trial=disturbed@2*1");
        QVERIFY(harness.runToEnd());
        QStringList told;
        for (const search::Measurement& measurement : harness.told)
            told.append(QStringLiteral("%1 %2 s%3")
                            .arg(measurement.size)
                            .arg(measurement.secondsPerStep)
                            .arg(measurement.disturbed ? QStringLiteral(", disturbed") : QString()));
        QCOMPARE(
            told.join(QStringLiteral("; ")),
            QStringLiteral("1 0.011 s; 2 0.024 s, disturbed; 2 0.012 s, disturbed; 2 0.012 s; 4 0.014 s"));
    }

    void losesItsPatience()
    {
        ExplorationHarness harness("trial=disturbed", {1, 2, 3, 4, 5});
        harness.options.verify = true;
        QVERIFY(harness.runToEnd());
        // The verification is not repeated either.
        QCOMPARE(harness.trials(),
                 QStringLiteral("1 ok, 1 ok, 1 ok, 2 ok, 2 ok, 2 ok, 3 ok, 4 ok, 5 ok, 5 ok"));
        QCOMPARE(harness.log().count(QStringLiteral("last trials on cpu were disturbed")), 1);
        const engine::Contention& contention = harness.snapshot().devices.front().contention;
        QVERIFY(contention.isBusy());
        QCOMPARE(contention.disturbedShare, 1.0);
        QCOMPARE(contention.by, QStringLiteral("other programs used 1.0 of 2 processors"));
        QCOMPARE(harness.told.size(), harness.snapshot().trials.size());
    }

    /// A repetition, also of a verification, shows nothing more if another program runs all the time. A
    /// program that comes and goes may have ended.
    void repeatsNothingIfAProgramRunsAllTheTime_data()
    {
        rows<Text, Text>(
            {{"always there", {"trial=contended", "1 ok, 2 ok, 4 ok, 4 ok"}},
             {"came last", {"trial=contended@4 starts after=1", "1 ok, 2 ok, 4 ok, 4 ok, 4 ok, 4 ok"}}});
    }
    void repeatsNothingIfAProgramRunsAllTheTime()
    {
        const auto& [words, trials] = row<Text, Text>();
        ExplorationHarness harness(words);
        harness.options.verify = true;
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), trials);
    }

    void staysWithinTheTrialBudget()
    {
        ExplorationHarness harness("trial=disturbed", {1, 2, 4});
        harness.options.maxTrials = 4;
        QVERIFY(harness.runToEnd());
        // The scripted search has no budget; a real one counts the trials that it receives.
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 ok, 1 ok, 2 ok, 4 ok"));
        QCOMPARE(harness.told.size(), 5U);
    }

    void keepsItsResultWhenStopped()
    {
        ExplorationHarness harness("trial=disturbed@1*1 trial=hang@1");
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 1 running"));
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 cancelled"));
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 1);
        QVERIFY(harness.told.front().disturbed);
    }

    void pausesBeforeARepetition()
    {
        ExplorationHarness harness("trial=disturbed@2*1");
        engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [&](const auto& started) {
            if (started.trial.number == 2)
                harness.exploration().pause();
        });
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok"));
        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 2 ok, 2 ok, 4 ok"));
        QCOMPARE(harness.snapshot().trials[2].repetition, 1);
    }

    void repeatsAVerificationInAFreshProcess()
    {
        ExplorationHarness harness("trial=disturbed-slow@4 starts after=1 until=2");
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
        VERIFY_CONTAINS(harness.log(), "Trial 4 was disturbed");
    }

    void repeatsOnTheSameDevice()
    {
        // The second device waits and is free when the first one has a trial to repeat.
        ExplorationHarness harness("trial=disturbed@1*1", {1});
        test::setGpus(harness.parts, {"first", "second"});
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), QStringLiteral("1 ok, 1 ok"));
        QCOMPARE(harness.snapshot().trials[0].device, harness.snapshot().trials[1].device);
    }
};

BATCHPEAK_TEST(RepetitionsTest)
#include "tst_repetitions.moc"
