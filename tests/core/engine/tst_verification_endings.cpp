// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <utility>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::Exploration;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;
using Outcome = engine::Verification::Outcome;

namespace {

/// Trials of a search of 1, 2 and 4, of which the last is the fastest.
const QString searched = QStringLiteral("1 ok, 2 ok, 4 ok");

} // namespace

/// Tests the outcomes of measuring the recommended size again in a fresh process, for all behaviors of that
/// process.
class VerificationEndingsTest : public QObject
{
    Q_OBJECT

private slots:
    void handlesEveryBehavior_data()
    {
        const auto add = rows<Text, Text, int, Outcome, Text>();
        const Outcome confirmed = Outcome::Confirmed;
        add("all is well", {"", ", 4 ok", 4, confirmed, "4 was confirmed in a fresh process"});
        add("optional fields absent", {"trial=bare", ", 4 ok", 4, confirmed, "was confirmed"});
        add("needs two seconds to start",
            {"start=late starts after=1", ", 4 ok", 4, confirmed, "was confirmed"});
        add("crashes once",
            {"trial=kill@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed, "Retrying size 4"});
        add("crashes there always", {"trial=abort@4 starts after=1", ", 4 crashed, 4 crashed, 2 ok", 2,
                                     confirmed, "4 failed in a fresh process"});
        add("exits once",
            {"trial=exit@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed, "exit code 1"});
        add("sticky device error", {"trial=exit42@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4,
                                    confirmed, "only a fresh process clears"});
        add("fails once",
            {"trial=failed@4 starts after=1 until=2", ", 4 failed, 4 ok", 4, confirmed, "told to answer so"});
        add("fails twice",
            {"trial=failed@4 starts after=1", ", 4 failed, 4 failed, 2 ok", 2, confirmed, "2 was confirmed"});
        add("garbage once", {"trial=garbage@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4, confirmed,
                             "does not keep to the trial protocol"});
        add("wrong size once", {"trial=wrong-size@4 starts after=1 until=2", ", 4 crashed, 4 ok", 4,
                                confirmed, "for a size of 5 where 4 was asked"});
        add("late answer", {"trial=late starts after=1", ", 4 ok", 4, confirmed, "was confirmed"});
        add("out of memory",
            {"trial=oom@4 starts after=1", ", 4 oom, 2 ok", 2, confirmed, "4 failed in a fresh process"});
        add("spilled memory",
            {"trial=spill@4 starts after=1", ", 4 oom, 2 ok", 2, confirmed, "moved memory to the host"});
        add("unsupported",
            {"trial=unsupported@4 starts after=1", ", 4 unsupported, 2 ok", 2, confirmed, "not supported"});
        add("took too long",
            {"trial=timeout@4 starts after=1", ", 4 timeout, 2 ok", 2, confirmed, "timed out"});
        add("thrashes", {"trial=thrash@4 starts after=1", ", 4 ok, 2 ok", 2, confirmed, "thrashes"});
        add("faster", {"trial=fast@4 starts after=1", ", 4 ok", 4, confirmed, "was confirmed"});
        add("slower", {"trial=slow@4 starts after=1", ", 4 ok", 4, Outcome::Slower, "4 was slower"});
        const char* notRun = "4 was not verified";
        add("refuses a second start", {"start=refuse starts after=1", "", 4, Outcome::NotRun, notRun});
        add("dies at a second start", {"start=exit starts after=1", "", 4, Outcome::NotRun, notRun});
        add("greets otherwise", {"start=garbage starts after=1", "", 4, Outcome::NotRun, notRun});
        add("cannot load twice", {"load=error starts after=1", "", 4, Outcome::NotRun, notRun});
        add("dies while loading again", {"load=exit starts after=1", "", 4, Outcome::NotRun, notRun});
        add("refuses one start",
            {"start=refuse starts after=1 until=2", ", 4 ok", 4, confirmed, "was confirmed"});
        add("does not heed the end",
            {"ignore-end ignore-terminate", ", 4 ok", 4, confirmed, "was confirmed"});
    }
    void handlesEveryBehavior()
    {
        const auto& [words, trials, recommended, outcome, said] = row<Text, Text, int, Outcome, Text>();

        ExplorationHarness harness(words);
        harness.options.verify = true;
        harness.parts.timeouts.quit = words.contains(QLatin1String("ignore")) ? 50ms : 10s;
        harness.parts.timeouts.terminate = 50ms;
        QVERIFY(harness.runToEnd());

        const engine::Snapshot& snapshot = harness.snapshot();
        QVERIFY2(snapshot.finish == FinishStatus::Exhausted, qPrintable(harness.log()));
        QCOMPARE(snapshot.state, State::Finished);
        QCOMPARE(harness.trials(), searched + trials);
        QCOMPARE(snapshot.searchState.recommendation->size, recommended);
        QCOMPARE(snapshot.verification->size, recommended);
        QCOMPARE(snapshot.verification->outcome, outcome);
        VERIFY_CONTAINS(harness.log(), said);
        QVERIFY(snapshot.failure.isEmpty());
        QCOMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void timesOutOnSilence_data()
    {
        rows<Text, Text, Outcome>(
            {{"no hello", {"start=silent starts after=1", searched, Outcome::NotRun}},
             {"never loaded", {"load=silent starts after=1", searched, Outcome::NotRun}},
             {"hangs once",
              {"trial=hang@4 starts after=1 until=2", searched + QStringLiteral(", 4 timeout, 4 ok"),
               Outcome::Confirmed}},
             {"hangs there always",
              {"trial=hang@4 ignore-terminate ignore-end starts after=1",
               searched + QStringLiteral(", 4 timeout, 4 timeout, 2 ok"), Outcome::Confirmed}}});
    }
    void timesOutOnSilence()
    {
        const auto& [words, trials, outcome] = row<Text, Text, Outcome>();

        ExplorationHarness harness(words);
        harness.options.verify = true;
        // Long enough for a busy computer to start a process, short enough to wait for.
        harness.parts.timeouts.startUp = words.contains(QLatin1String("start=")) ? 2s : 20s;
        harness.parts.timeouts.load = words.contains(QLatin1String("load=")) ? 2s : 20s;
        // Reduces the time limit of a trial that took a second before to 0.5 s.
        harness.parts.timeouts.trialGrace = -32500ms;
        harness.parts.timeouts.quit = harness.parts.timeouts.terminate = 50ms;
        QVERIFY2(harness.endsAs(FinishStatus::Exhausted), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), trials);
        QCOMPARE(harness.snapshot().verification->outcome, outcome);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void reportsItsMeasurements()
    {
        ExplorationHarness harness;
        harness.options.verify = true;
        QStringList states;
        connect(&harness.exploration(), &Exploration::snapshotChanged, &harness,
                [&](const engine::Snapshot& snapshot) {
                    if (snapshot.state == State::Verifying && snapshot.verification)
                        states = {QString::number(snapshot.verification->size)};
                });
        QVERIFY(harness.runToEnd());
        QCOMPARE(states, QStringList(QStringLiteral("4")));

        const engine::Snapshot& snapshot = harness.snapshot();
        const trial::TrialRecord& trial = snapshot.trials.back();
        QVERIFY(trial.isVerification);
        QCOMPARE(trial.flags, std::vector<std::string>{"verification"});
        QCOMPARE(trial.timedSteps, 5);
        QCOMPARE(*snapshot.verification->samplesPerSecond, *trial.samplesPerSecond);
        QCOMPARE(snapshot.verification->peakReservedBytes, 140'000'000);
        QCOMPARE(*snapshot.verification->spareBytes, 2'000'000'000 - 140'000'000);
        QCOMPARE(snapshot.devices.front().restarts, 0);
        // An expected result counts as well as a surprising one.
        QCOMPARE(harness.told.size(), 4U);
        QVERIFY(harness.told.back().isVerification);
    }

    void passesASurpriseToTheSearch_data()
    {
        rows<Text, double>({{"slower", {"trial=slow@4 starts after=1", 1.5}},
                            {"faster", {"trial=fast@4 starts after=1", 0.5}}});
    }
    void passesASurpriseToTheSearch()
    {
        const auto& [words, factor] = row<Text, double>();
        ExplorationHarness harness(words);
        harness.options.verify = true;
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.told.size(), 4U);
        QVERIFY(harness.told.back().isVerification);
        QCOMPARE(harness.told.back().secondsPerStep, factor * harness.told[2].secondsPerStep);
    }
};

BATCHPEAK_TEST(VerificationEndingsTest)
#include "tst_verification_endings.moc"
