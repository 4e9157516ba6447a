// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "exploration_harness.h"
#include "support/event_schema.h"
#include "support/events_in.h"
#include "support/fake_parts.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QBuffer>
#include <QTest>

#include <algorithm>
#include <functional>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::Exploration;
using engine::FinishStatus;
using engine::State;
using test::ExplorationHarness;

namespace {

/// An exploration with the default search.
struct Searching : ExplorationHarness
{
    explicit Searching(const Text& words = {}) : ExplorationHarness(words)
    {
        parts.makeStrategy = search::makeStrategy;
    }

    /// \param command  called when the trial of that number has begun
    void atTrial(int number, std::function<void(Exploration&)> command)
    {
        engine::onEvent<engine::TrialStarted>(exploration(), this,
                                              [this, number, command](const auto& started) {
                                                  if (started.trial.number == number)
                                                      command(exploration());
                                              });
    }
    const trial::TrialRecord& trialOf(int number)
    {
        return snapshot().trials.at(static_cast<std::size_t>(number) - 1);
    }
    int trialsOf(std::int64_t size)
    {
        return static_cast<int>(
            std::ranges::count(snapshot().trials, size, &trial::TrialRecord::microBatchSize));
    }
};

} // namespace

/// Tests commands of the user during an exploration.
class ExplorationCommandsTest : public QObject
{
    Q_OBJECT

private slots:
    void skipsTheRunningTrial_data()
    {
        rows<Text, int>({{"a worker that obeys", {"once trial=hang@8", 0}},
                         {"one that does not", {"once trial=hang@8 ignore-cancel", 1}}});
    }
    void skipsTheRunningTrial()
    {
        const auto& [words, restarts] = row<Text, int>();
        Searching harness(words);
        harness.parts.timeouts.cancel = restarts > 0 ? 50ms : 20s;
        QVERIFY(!harness.snapshot().commands.skipsTrial);
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 8 running"));
        QVERIFY(harness.snapshot().commands.skipsTrial);
        harness.exploration().skipTrial(QStringLiteral("cuda:7"));
        QVERIFY(!harness.log().contains(QStringLiteral("skipped")));
        harness.exploration().skipTrial(QStringLiteral("cpu"));
        TRY_COMPARE(harness.finishedSignals(), 1);

        QVERIFY2(harness.snapshot().finish == FinishStatus::Confident, qPrintable(harness.log()));
        QCOMPARE(harness.trialOf(2).outcome, trial::Outcome::Cancelled);
        QVERIFY(harness.trialOf(3).microBatchSize != 8);
        QCOMPARE(harness.snapshot().searchState.smallestFailure, 0);
        QCOMPARE(harness.snapshot().devices.front().restarts, restarts);
        VERIFY_CONTAINS(harness.log(), "Trial 2 is skipped.");
        QVERIFY(harness.isNoWorkerLeft());
    }

    void reportsASkippedVerificationAsNotRun()
    {
        Searching harness("starts after=1 trial=hang");
        harness.options.verify = true;
        harness.exploration().start();
        TRY_VERIFY(!harness.snapshot().underWay.empty() &&
                   harness.snapshot().underWay.front().why == trial::Purpose::Verification);
        QVERIFY(!harness.snapshot().commands.triesSizes);
        VERIFY_CONTAINS(harness.exploration().tryNow(5), "go on after that");
        harness.exploration().skipTrial();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().finish == FinishStatus::Confident);
        QCOMPARE(harness.snapshot().verification->outcome, engine::Verification::Outcome::NotRun);
    }

    void avoidsAnExcludedSize()
    {
        Searching harness;
        std::int64_t excluded = 0;
        harness.atTrial(5, [&](Exploration& exploration) {
            excluded = exploration.snapshot().searchState.recommendation->size;
            exploration.excludeSize(excluded);
        });
        QVERIFY(harness.runToEnd());
        QVERIFY(excluded > 0);
        QCOMPARE(harness.snapshot().searchState.excluded, std::vector<std::int64_t>{excluded});
        QVERIFY(harness.snapshot().searchState.recommendation->size != excluded);
        for (std::size_t trial = 5; trial < harness.snapshot().trials.size(); ++trial)
            QVERIFY(harness.snapshot().trials[trial].microBatchSize != excluded);
        VERIFY_CONTAINS(harness.log(), "is excluded: it is neither tried nor recommended.");
    }

    void skipsTheTrialOfAnExcludedSize()
    {
        Searching harness("once trial=hang@8");
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 8 running"));
        harness.exploration().excludeSize(8);
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trialOf(2).outcome, trial::Outcome::Cancelled);
        QCOMPARE(harness.trialsOf(8), 1);
    }

    void allowsASizeAgain()
    {
        Searching harness("trial=hang@8");
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 8 running"));
        harness.exploration().excludeSize(5);
        TRY_COMPARE(harness.snapshot().searchState.excluded.size(), 1U);
        VERIFY_CONTAINS(harness.exploration().tryNow(5), "allow it again first");
        harness.exploration().excludeSize(5, false);
        TRY_VERIFY(harness.snapshot().searchState.excluded.empty());
        QVERIFY(harness.exploration().tryError(5).isEmpty());
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
    }

    void triesASizeNow()
    {
        Searching harness;
        harness.atTrial(2, [](Exploration& exploration) {
            QVERIFY(exploration.tryNow(5).isEmpty());
            QCOMPARE(exploration.snapshot().askedSizes, std::vector<std::int64_t>{5});
            QCOMPARE(exploration.snapshot().next->sentence, QStringLiteral("Next: 5, as you asked."));
        });
        harness.atTrial(3, [](Exploration& exploration) {
            QVERIFY(exploration.snapshot().askedSizes.empty());
            QVERIFY(!exploration.snapshot().next);
            QCOMPARE(exploration.snapshot().underWay.front().sentence,
                     QStringLiteral("Now: 5, as you asked."));
        });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trialOf(3).microBatchSize, 5);
        QCOMPARE(harness.trialOf(3).purpose, trial::Purpose::Asked);
    }

    void cancelsARunningTrialForARequestedSize()
    {
        Searching harness("once trial=hang@8");
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 8 running"));
        QVERIFY(harness.exploration().tryNow(8).isEmpty());
        QVERIFY(harness.exploration().tryNow(5).isEmpty());
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trialOf(2).outcome, trial::Outcome::Cancelled);
        QCOMPARE(harness.trialOf(3).microBatchSize, 8);
        QCOMPARE(harness.trialOf(3).purpose, trial::Purpose::Asked);
        QCOMPARE(harness.trialOf(4).microBatchSize, 5);
        QVERIFY(harness.snapshot().finish == FinishStatus::Confident);
        VERIFY_CONTAINS(harness.log(), "Trial 2 is canceled");
    }

    void cancelsNoRequestedTrial()
    {
        Searching harness("trial=hang@5");
        harness.exploration().start();
        harness.atTrial(2, [](Exploration& exploration) { exploration.tryNow(5); });
        TRY_VERIFY(harness.trials().endsWith(QStringLiteral("5 running")));
        VERIFY_CONTAINS(harness.log(), "Trial 2 is canceled");
        QVERIFY(harness.exploration().tryNow(6).isEmpty());
        QCOMPARE(harness.trialOf(3).microBatchSize, 5);
        QVERIFY(!harness.log().contains(QStringLiteral("Trial 3 is canceled")));
        // A pause cancels the trial, but its size is still requested.
        harness.exploration().pause();
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.snapshot().askedSizes, (std::vector<std::int64_t>{5, 6}));
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
    }

    void skipsATrialThatIsBeingCanceled()
    {
        Searching harness("trial=hang@8");
        harness.exploration().start();
        TRY_COMPARE(harness.trials(), QStringLiteral("1 ok, 8 running"));
        harness.exploration().pause();
        harness.exploration().excludeSize(8);
        TRY_COMPARE(harness.snapshot().state, State::Paused);
        harness.exploration().resume();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QCOMPARE(harness.trialsOf(8), 1);
    }

    void triesASizeThatDoesNotFit()
    {
        Searching harness("slope=100000000");
        harness.atTrial(4, [](Exploration& exploration) { QVERIFY(exploration.tryNow(1000).isEmpty()); });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.trialOf(5).microBatchSize, 1000);
        QCOMPARE(harness.trialOf(5).outcome, trial::Outcome::OutOfMemory);
        QVERIFY(harness.snapshot().searchState.recommendation);
    }

    void triesARequestedSizeAfterTheSearchHasEnded()
    {
        Searching harness;
        harness.atTrial(3, [](Exploration& exploration) {
            exploration.tryNow(5);
            exploration.setTargetConfidence(0.01);
        });
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.snapshot().finish == FinishStatus::Confident);
        QCOMPARE(harness.snapshot().trials.size(), 4U);
        QCOMPARE(harness.trialOf(4).microBatchSize, 5);
    }

    void refusesSizesOutOfRange_data()
    {
        rows<int, Text>({{"too small", {0, "choose a size from 2 to 40"}},
                         {"too large", {41, "41 is outside of what may be tried"}},
                         {"allowed", {40, ""}}});
    }
    void refusesSizesOutOfRange()
    {
        const auto& [size, obstacle] = row<int, Text>();
        Searching harness("trial=hang@16");
        harness.options.minimum = 2;
        harness.options.maximum = 40;
        VERIFY_CONTAINS(harness.exploration().tryNow(size), "No search is under way");
        harness.exploration().start();
        TRY_VERIFY(harness.trials().endsWith(QStringLiteral("16 running")));
        const QString answer = harness.exploration().tryNow(size);
        VERIFY_CONTAINS(answer, obstacle);
        QCOMPARE(answer.isEmpty(), obstacle.isEmpty());
        QCOMPARE(harness.snapshot().askedSizes.empty(), !obstacle.isEmpty());
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
    }

    void extendsItsTrials()
    {
        Searching harness;
        harness.options.maxTrials = 4;
        harness.options.targetConfidence = 1.0;
        harness.atTrial(4, [](Exploration& exploration) {
            exploration.extend({.trials = -3});
            exploration.extend({.trials = 3});
        });
        QVERIFY(harness.runToEnd());
        QVERIFY(harness.snapshot().finish == FinishStatus::Budget);
        QCOMPARE(harness.snapshot().trials.size(), 7U);
        QCOMPARE(harness.snapshot().run->maxTrials, 7);
    }

    void extendsItsTime()
    {
        Searching harness("trial=hang@1");
        harness.options.timeBudget = 1s;
        harness.atTrial(1, [](Exploration& exploration) { exploration.extend({.trials = 0, .time = 1s}); });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.snapshot().run->budgetSeconds, 2.0);
        QVERIFY2(harness.snapshot().elapsedSeconds > 1.9,
                 qPrintable(QString::number(harness.snapshot().elapsedSeconds)));
    }

    void changesTheTolerance()
    {
        Searching harness;
        harness.atTrial(4, [](Exploration& exploration) {
            for (const double nonsense : {0.0, 1.0, -2.0})
                exploration.setTolerance(nonsense);
            exploration.setTolerance(0.3);
        });
        QVERIFY(harness.runToEnd());
        QCOMPARE(harness.snapshot().run->tolerance, 0.3);
        QVERIFY(harness.snapshot().finish == FinishStatus::Confident);
        Searching other;
        QVERIFY(other.runToEnd());
        QVERIFY(harness.snapshot().trials.size() < other.snapshot().trials.size());
    }

    void reportsEveryCommandAsAnEvent()
    {
        Searching harness;
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        const engine::EventLog log(harness.exploration(), buffer);
        harness.exploration().excludeSize(3);
        harness.atTrial(2, [](Exploration& exploration) {
            exploration.excludeSize(3);
            exploration.extend({.trials = 2});
            exploration.setTolerance(0.03);
            exploration.setTargetConfidence(0.9);
            exploration.tryNow(5);
        });
        QVERIFY(harness.runToEnd());
        QStringList commands;
        for (const QJsonObject& event : test::eventsIn(buffer.data())) {
            if (event.value(QLatin1String("event")) != QLatin1String("command"))
                continue;
            QCOMPARE(event.keys(), test::fieldsOfEvent(QStringLiteral("command")));
            commands.append(
                QString::fromUtf8(test::valuesOf(event, "command micro_batch_size more_trials share")));
        }
        QCOMPARE(commands.join(QLatin1Char(' ')),
                 QStringLiteral(
                     R"({"command":"exclude_size","micro_batch_size":3,"more_trials":null,"share":null} )"
                     R"({"command":"extend","micro_batch_size":null,"more_trials":2,"share":null} )"
                     R"({"command":"set_tolerance","micro_batch_size":null,"more_trials":null,"share":0.03} )"
                     R"({"command":"set_confidence","micro_batch_size":null,"more_trials":null,"share":0.9} )"
                     R"({"command":"try_now","micro_batch_size":5,"more_trials":null,"share":null})"));
    }

    void freesTheDevicesInAPause_data() { rows<Text>({{"started by us", ""}, {"behind a launcher", "env"}}); }
    void freesTheDevicesInAPause()
    {
        Searching harness;
        if (const auto place = row<Text>(); !place.isEmpty())
            harness.options.places = {place};
        harness.parts.restAfter = 0ms;
        harness.options.timeBudget = 600s;
        harness.atTrial(4, [](Exploration& exploration) { exploration.pause(); });
        harness.exploration().start();
        TRY_VERIFY(harness.snapshot().devicesAreFree);
        QCOMPARE(harness.snapshot().state, State::Paused);
        QCOMPARE(harness.snapshot().trials.size(), 4U);
        QCOMPARE(harness.snapshot().devices.front().workerPid, 0);
        QVERIFY(harness.isNoWorkerLeft());
        VERIFY_CONTAINS(harness.log(), "so that other programs can use the devices");
        // Commands are accepted, but nothing begins or ends.
        harness.exploration().tryNow(5);
        harness.exploration().setTargetConfidence(0.01);
        QTest::qWait(50);
        QCOMPARE(harness.snapshot().state, State::Paused);
        harness.exploration().setTargetConfidence(0.95);

        harness.exploration().resume();
        QVERIFY(!harness.snapshot().devicesAreFree);
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY2(harness.snapshot().finish == FinishStatus::Confident, qPrintable(harness.log()));
        QCOMPARE(harness.trialOf(5).microBatchSize, 5);
        // The search keeps its results: the first sizes are not tried again.
        QCOMPARE(harness.trialsOf(1), 1);
        QCOMPARE(harness.snapshot().devices.front().restarts, 0);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void endsInAPause()
    {
        Searching harness;
        harness.parts.restAfter = 0ms;
        harness.options.maxTrials = 4;
        harness.atTrial(3, [](Exploration& exploration) { exploration.pause(); });
        harness.exploration().start();
        TRY_VERIFY(harness.snapshot().devicesAreFree);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().finish == FinishStatus::Cancelled);
        QCOMPARE(harness.snapshot().trials.size(), 3U);
        QVERIFY(harness.snapshot().searchState.recommendation);
        // It can continue after that, from all of its results.
        QVERIFY(harness.snapshot().canContinue);
        QVERIFY(harness.continuesToEnd({.trials = 1}));
        QCOMPARE(harness.snapshot().trials.size(), 4U);
    }

    void excludesPausesFromTheTimeBudget()
    {
        Searching harness;
        harness.parts.restAfter = 0ms;
        harness.options.timeBudget = 2s;
        harness.atTrial(2, [](Exploration& exploration) { exploration.pause(); });
        harness.exploration().start();
        TRY_VERIFY(harness.snapshot().devicesAreFree);
        const double before = harness.snapshot().elapsedSeconds;
        QTest::qWait(2500);
        QCOMPARE(harness.snapshot().state, State::Paused);
        QVERIFY(harness.snapshot().elapsedSeconds - before < 0.5);
        harness.exploration().stop();
        TRY_COMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.snapshot().elapsedSeconds < 2.4);
    }

    void recordsItsCourse()
    {
        Searching harness;
        QVERIFY(harness.runToEnd());
        const auto& course = harness.snapshot().course;
        QVERIFY(course.size() >= harness.snapshot().trials.size());
        QVERIFY(std::ranges::is_sorted(course, {}, &engine::CoursePoint::trials));
        QVERIFY(std::ranges::is_sorted(course, {}, &engine::CoursePoint::elapsedSeconds));
        const search::Recommendation& best = *harness.snapshot().searchState.recommendation;
        QCOMPARE(course.back().size, best.size);
        QCOMPARE(course.back().confidence, best.confidence);
    }
};

BATCHPEAK_TEST(ExplorationCommandsTest)
#include "tst_exploration_commands.moc"
