// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scripted_strategy.h"
#include "history/trial_planner.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using engine::FollowUp;
using engine::TrialPlanner;

namespace {

const QString one = QStringLiteral("cuda:0");
const QString other = QStringLiteral("cuda:1");

TrialPlanner plannerOf(std::vector<std::int64_t> sizes, int maxTrials = 10)
{
    return {std::make_unique<test::ScriptedStrategy>(test::ScriptedStrategy::Script{.sizes = sizes}),
            maxTrials};
}

search::Measurement disturbed(std::int64_t size)
{
    return {.size = size, .outcome = trial::Outcome::Ok, .secondsPerStep = 0.1, .disturbed = true};
}

search::Measurement calm(std::int64_t size)
{
    return {.size = size, .outcome = trial::Outcome::Ok, .secondsPerStep = 0.1};
}

/// Returns the proposed size; 0 if there is none.
std::int64_t nextOf(TrialPlanner& planner, const QString& device)
{
    const auto proposal = planner.next(device);
    return proposal ? proposal->size : 0;
}

} // namespace

/// Tests proposals that are given back, and an end before all results are known.
class TrialPlannerTest : public QObject
{
    Q_OBJECT

private slots:
    void asksTheStrategyAgain()
    {
        TrialPlanner planner = plannerOf({1}, 1);
        QCOMPARE(nextOf(planner, one), 1);
        planner.giveBack(one);
        QVERIFY(!planner.expectsMore());
        QCOMPARE(nextOf(planner, other), 1);
    }

    /// The search knows the speed of one process.
    void tellsTheSpeedOfAllProcesses()
    {
        const auto plannerFor = [](std::int64_t processes) {
            auto strategy = search::makeStrategy("posterior", {.maximum = 64, .maxTrials = 10});
            TrialPlanner planner(std::move(strategy), 10, true, processes);
            (void)planner.next(one);
            (void)planner.trialEnded(one, calm(1));
            return planner.searchState();
        };
        const search::SearchState alone = plannerFor(1);
        const search::SearchState together = plannerFor(4);
        QCOMPARE(together.recommendation->samplesPerSecond, 4.0 * alone.recommendation->samplesPerSecond);
        QCOMPARE(together.estimates.front().samplesPerSecond, 4.0 * alone.estimates.front().samplesPerSecond);
        QCOMPARE(together.estimates.front().relativeError, alone.estimates.front().relativeError);
    }

    void countsNoReturnedTrial()
    {
        TrialPlanner planner = plannerOf({1}, 2);
        QCOMPARE(nextOf(planner, one), 1);
        planner.giveBack(one);
        QCOMPARE(nextOf(planner, one), 1);
        // The budget has room for a second trial.
        QCOMPARE(planner.trialEnded(one, disturbed(1)), FollowUp::Repeated);
    }

    void keepsARepetitionForItsDevice()
    {
        TrialPlanner planner = plannerOf({1, 2});
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, disturbed(1)), FollowUp::Repeated);
        QCOMPARE(nextOf(planner, one), 1);
        planner.giveBack(one);
        QVERIFY(planner.expectsMore());
        QCOMPARE(planner.repetition(one), 1);
        QCOMPARE(nextOf(planner, other), 2);
        QCOMPARE(nextOf(planner, one), 1);
    }

    void forgetsARepetitionOfALostDevice()
    {
        TrialPlanner planner = plannerOf({1});
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, disturbed(1)), FollowUp::Repeated);
        // The search has no other size, so it waits.
        QCOMPARE(planner.searchState().status, search::SearchState::Status::Searching);
        QCOMPARE(nextOf(planner, one), 1);
        planner.deviceLost(one);
        planner.giveBack(one);
        QVERIFY(!planner.expectsMore());
        QCOMPARE(planner.searchState().status, search::SearchState::Status::Exhausted);
        QCOMPARE(nextOf(planner, other), 0);
    }

    void keepsALostTrialForAnyDevice()
    {
        TrialPlanner planner = plannerOf({1, 2});
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, {.size = 1}), FollowUp::Repeated);
        QCOMPARE(nextOf(planner, one), 1);
        planner.giveBack(one);
        QVERIFY(planner.canContinue());
        QCOMPARE(nextOf(planner, other), 1);
    }

    void repeatsLostTrialsWithinTheBudget()
    {
        TrialPlanner planner = plannerOf({1, 2, 3, 4}, 3);
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(nextOf(planner, other), 2);
        QCOMPARE(planner.trialEnded(one, {.size = 1}), FollowUp::Repeated);
        // The third trial of the budget is for the first lost one.
        QCOMPARE(planner.trialEnded(other, {.size = 2}), FollowUp::None);
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, {.size = 1}), FollowUp::LeftOut);
        QVERIFY(!planner.expectsMore());
    }

    void triesRequestedSizesFirst()
    {
        TrialPlanner planner = plannerOf({1, 2, 3});
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, disturbed(1)), FollowUp::Repeated);
        QCOMPARE(planner.searchState().next->purpose, trial::Purpose::Repetition);
        planner.tryNow(7);
        planner.tryNow(7);
        const search::NextTrial next = *planner.searchState().next;
        QCOMPARE(next.sizes, std::vector<std::int64_t>{7});
        QCOMPARE(next.purpose, trial::Purpose::Asked);
        QCOMPARE(nextOf(planner, one), 7);
        // The search has the disturbed reading, and the repetition is dropped.
        QCOMPARE(planner.repetition(one), 0);
        planner.giveBack(one);
        QCOMPARE(nextOf(planner, one), 7);
        planner.trialEnded(one, calm(7));
        QCOMPARE(nextOf(planner, one), 2);
    }

    void endsAfterRequestedSizes()
    {
        TrialPlanner planner = plannerOf({1});
        QCOMPARE(nextOf(planner, one), 1);
        planner.tryNow(7);
        planner.trialEnded(one, calm(1));
        QCOMPARE(planner.searchState().status, search::SearchState::Status::Searching);
        QCOMPARE(nextOf(planner, one), 7);
        QCOMPARE(planner.searchState().status, search::SearchState::Status::Searching);
        planner.trialEnded(one, calm(7));
        QCOMPARE(planner.searchState().status, search::SearchState::Status::Exhausted);
        QVERIFY(!planner.expectsMore());
    }

    void dropsExcludedSizes()
    {
        TrialPlanner planner = plannerOf({1, 2});
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, disturbed(1)), FollowUp::Repeated);
        planner.tryNow(7);
        planner.setExcluded(7, true);
        planner.setExcluded(1, true);
        QCOMPARE(planner.searchState().excluded, (std::vector<std::int64_t>{7, 1}));
        QCOMPARE(nextOf(planner, one), 2);
    }

    void countsNoSkippedTrial()
    {
        TrialPlanner planner = plannerOf({1, 2}, 2);
        QCOMPARE(nextOf(planner, one), 1);
        planner.trialSkipped(one);
        QVERIFY(!planner.expectsMore());
        QCOMPARE(nextOf(planner, one), 2);
        // The budget has room for one more trial.
        QCOMPARE(planner.trialEnded(one, disturbed(2)), FollowUp::Repeated);
        // Skipping on a device without a trial changes nothing.
        planner.trialSkipped(other);
        QCOMPARE(planner.repetition(one), 1);
    }

    // A size whose second trial was skipped has not been lost: its next loss is a first one, after which the
    // size is tried again.
    void forgetsTheLossOfASkippedSize()
    {
        TrialPlanner planner = plannerOf({1, 2});
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, {.size = 1}), FollowUp::Repeated);
        QCOMPARE(nextOf(planner, other), 1);
        planner.trialSkipped(other);
        planner.tryNow(1);
        QCOMPARE(nextOf(planner, one), 1);
        QCOMPARE(planner.trialEnded(one, {.size = 1}), FollowUp::Repeated);
    }
};

BATCHPEAK_TEST(TrialPlannerTest)
#include "tst_trial_planner.moc"
