// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verifier.h"
#include "exploration_harness.h"
#include "support/fake_parts.h"
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

/// Calls \p act whenever a trial of verification starts.
template<typename Act>
void whenVerificationStarts(ExplorationHarness& harness, Act act)
{
    engine::onEvent<engine::TrialStarted>(harness.exploration(), &harness, [act](const auto& started) {
        if (started.trial.isVerification)
            act();
    });
}

} // namespace

/// Tests when the recommended size is measured again in a fresh process, and what the user can do meanwhile.
class VerificationControlTest : public QObject
{
    Q_OBJECT

private slots:
    void isOmitted_data()
    {
        using Sizes = std::vector<std::int64_t>;
        rows<Text, std::vector<std::int64_t>, bool, Text>(
            {{"where it is not requested", {"", Sizes{1, 2, 4}, false, searched}},
             {"where the only trial was the first", {"", Sizes{4}, true, "4 ok"}},
             {"where a fresh worker just ran it",
              {"trial=kill@4 once", Sizes{1, 4}, true, "1 ok, 4 crashed, 4 ok"}},
             {"where nothing fits", {"slope=1900000000", Sizes{1, 2, 4}, true, "1 oom"}},
             {"after the sixth",
              {"trial=oom starts after=1", Sizes{1, 2, 4, 8, 16, 32, 64}, true,
               "1 ok, 2 ok, 4 ok, 8 ok, 16 ok, 32 ok, 64 ok, 64 oom, 32 oom, 16 oom, 8 oom, 4 oom, 2 oom"}}});
    }
    void isOmitted()
    {
        const auto& [words, sizes, isWanted, trials] = row<Text, std::vector<std::int64_t>, bool, Text>();
        ExplorationHarness harness(words, sizes);
        harness.options.verify = isWanted;
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), trials);
    }

    void canBeStopped_data()
    {
        rows<Text, Text>(
            {{"in its trial", {"trial=hang starts after=1", searched + QStringLiteral(", 4 running")}},
             {"while its worker starts", {"start=silent starts after=1", searched}}});
    }
    void canBeStopped()
    {
        const auto& [words, trials] = row<Text, Text>();
        ExplorationHarness harness(words);
        harness.options.verify = true;
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, State::Verifying);
        TRY_COMPARE(harness.trials(), trials);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 4);
        QCOMPARE(harness.snapshot().verification->outcome, Outcome::NotRun);
        QCOMPARE(harness.told.size(), 3U);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void endsWithTheTimeBudget()
    {
        ExplorationHarness harness("trial=hang starts after=1");
        harness.options.verify = true;
        harness.options.timeBudget = 2s;
        QVERIFY2(harness.endsAs(FinishStatus::Budget), qPrintable(harness.log()));
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 cancelled"));
        QCOMPARE(harness.snapshot().searchState.recommendation->size, 4);
        QCOMPARE(harness.snapshot().verification->outcome, Outcome::NotRun);
    }

    void takesItsShareOfTheTimeBudget()
    {
        // A start of 2 s leaves half of the time budget.
        ExplorationHarness harness("start=late", std::vector<std::int64_t>(100, 4));
        harness.options.verify = true;
        harness.options.timeBudget = 4s;
        bool wasVerifying = false;
        connect(
            &harness.exploration(), &Exploration::snapshotChanged, &harness,
            [&](const engine::Snapshot& snapshot) { wasVerifying |= snapshot.state == State::Verifying; });
        QVERIFY2(harness.endsAs(FinishStatus::Budget), qPrintable(harness.log()));
        QVERIFY(wasVerifying);
        QCOMPARE(harness.trials().left(10), QStringLiteral("4 ok, 4 ok"));
        QCOMPARE(harness.snapshot().verification->size, 4);
    }

    void returnsTheVerdictOnTheRecommendedSize()
    {
        engine::Verifier verifier(true);
        engine::Snapshot snapshot;
        snapshot.run.emplace();
        const auto recommend = [&](std::int64_t size) {
            snapshot.searchState.recommendation = search::Recommendation{.size = size};
        };
        for (const std::int64_t size : {8, 4}) {
            recommend(size);
            verifier.begin(snapshot);
            verifier.giveUp();
        }
        for (const std::int64_t size : {8, 4, 2}) {
            recommend(size);
            const auto verdict = verifier.verdict(snapshot);
            QCOMPARE(verdict ? verdict->size : 0, size == 2 ? 0 : size);
        }
    }

    void endsDespiteARequestedPause()
    {
        ExplorationHarness harness;
        harness.options.verify = true;
        whenVerificationStarts(harness, [&] { harness.exploration().pause(); });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 ok"));
        QVERIFY(harness.snapshot().finish == FinishStatus::Exhausted);
    }

    void pausesWithinItsTrial()
    {
        ExplorationHarness harness("once trial=hang@4 starts after=1");
        harness.options.verify = true;
        bool hasPaused = false;
        whenVerificationStarts(harness, [&] {
            if (!std::exchange(hasPaused, true))
                harness.exploration().pause();
        });
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 cancelled"));
        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 cancelled, 4 ok"));
        QCOMPARE(harness.snapshot().verification->outcome, engine::Verification::Outcome::Confirmed);
    }

    void pausesBeforeItsTrial()
    {
        ExplorationHarness harness;
        harness.options.verify = true;
        bool hasPaused = false;
        connect(&harness.exploration(), &Exploration::snapshotChanged, &harness,
                [&](const engine::Snapshot& snapshot) {
                    if (snapshot.state == State::Verifying && !std::exchange(hasPaused, true))
                        harness.exploration().pause();
                });
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.trials(), searched);
        harness.exploration().resume();
        QCOMPARE(harness.snapshot().state, State::Verifying);
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 ok"));
    }

    void pausesBetweenTwoVerifications()
    {
        ExplorationHarness harness("trial=oom@4 starts after=1");
        harness.options.verify = true;
        bool hasPaused = false;
        whenVerificationStarts(harness, [&] {
            if (!std::exchange(hasPaused, true))
                harness.exploration().pause();
        });
        harness.exploration().start();
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 oom"));
        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trials(), searched + QStringLiteral(", 4 oom, 2 ok"));
    }

    void runsOnTheDeviceThatMeasuredTheSize()
    {
        ExplorationHarness harness("", {1, 2, 4, 8, 16});
        harness.options.verify = true;
        test::setGpus(harness.parts, {"first", "second"});
        QVERIFY(harness.runToEnd());
        const auto& trials = harness.snapshot().trials;
        QCOMPARE(harness.snapshot().verification->outcome, Outcome::Confirmed);
        QCOMPARE(trials.size(), 6U);
        QVERIFY(trials.back().isVerification);
        QCOMPARE(trials.back().microBatchSize, 16);
        QCOMPARE(trials.back().device, trials[4].device);
    }
};

BATCHPEAK_TEST(VerificationControlTest)
#include "tst_verification_control.moc"
