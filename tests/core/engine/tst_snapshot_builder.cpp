// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/snapshot_builder.h"
#include "history/trial_reading.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "trial/step_statistics.h"

#include <QTest>

#include <vector>

using namespace batchpeak;
using engine::SnapshotBuilder;

namespace {

const std::vector<double> slowThenSteady{0.30, 0.10, 0.11, 0.12, 0.10};

trial::TrialResult okResult()
{
    return {.id = 1, .microBatchSize = 8, .outcome = trial::Outcome::Ok, .steps = 5, .secondsPerStep = 0.11};
}

SnapshotBuilder bookWithATrialOf(const std::vector<double>& steps, double start)
{
    SnapshotBuilder book({});
    book.startTrial({.number = 1, .device = "cpu", .microBatchSize = 8}, start);
    book.takeStep({.id = 1, .phase = trial::StepPhase::Warmup, .seconds = 5.0});
    for (const double seconds : steps)
        book.takeStep({.id = 1, .seconds = seconds});
    return book;
}

} // namespace

using Outcome = engine::Verification::Outcome;

class SnapshotBuilderTest : public QObject
{
    Q_OBJECT

private slots:
    void showsARunningTrialByItsSteps()
    {
        const SnapshotBuilder book = bookWithATrialOf(slowThenSteady, 3.0);
        const trial::TrialRecord& trial = book.snapshot().trials.front();
        QCOMPARE(trial.warmupSteps, 1);
        QCOMPARE(trial.timedSteps, 5);
        QCOMPARE(*trial.secondsPerStep, *trial::typicalStepSeconds(slowThenSteady));
        QCOMPARE(*trial.samplesPerSecond, 8 / *trial.secondsPerStep);
        QCOMPARE(*trial.relativeError, *trial::relativeStandardError(slowThenSteady));
    }

    void searchIsToldTheMeasuredTimeWhereTheProgramTellsNone()
    {
        SnapshotBuilder book = bookWithATrialOf(slowThenSteady, 3.0);
        const trial::TrialResult silent = okResult();
        QCOMPARE(engine::measurementOf(book.endTrial(silent, {}, 5.0), silent, false, 5.0).wallSeconds, 2.0);
        SnapshotBuilder other = bookWithATrialOf(slowThenSteady, 3.0);
        trial::TrialResult told = okResult();
        told.wallSeconds = 7.5;
        QCOMPARE(engine::measurementOf(other.endTrial(told, {}, 5.0), told, false, 5.0).wallSeconds, 7.5);
    }

    void letsTheTimeOfARunningTrialRun()
    {
        SnapshotBuilder book = bookWithATrialOf({}, 3.0);
        book.takeTime(4.5, std::nullopt, 1);
        QCOMPARE(book.snapshot().trials.front().wallSeconds, 1.5);
        book.endTrial(okResult(), {}, 5.0);
        book.takeTime(9.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().trials.front().wallSeconds, 2.0);
    }

    void dropsWhatIsRecalledWithTheSearch()
    {
        SnapshotBuilder book = bookWithATrialOf({}, 0.0);
        book.takeRecalled({{.trial = {.microBatchSize = 8}}});
        search::SearchState state;
        state.recalledTrials = 1;
        book.takeSearchState(state);
        QCOMPARE(book.snapshot().recalled.size(), std::size_t{1});
        state.recalledTrials = 0;
        book.takeSearchState(state);
        QVERIFY(book.snapshot().recalled.empty());
    }

    void countsDownWhatTheSearchForetells()
    {
        SnapshotBuilder book = bookWithATrialOf({}, 0.0);
        book.endTrial(okResult(), {}, 4.0);
        book.takeSearchState({.forecast = search::Forecast{
                                  .seconds = search::Estimate{.likely = 30.0, .low = 20.0, .high = 50.0}}});
        book.takeTime(4.5, std::nullopt, 1);
        QCOMPARE(book.snapshot().timeLeft, (search::Estimate{.likely = 30.0, .low = 20.0, .high = 50.0}));
        book.startTrial({.number = 2, .device = "cpu", .microBatchSize = 8}, 5.0);
        book.takeTime(11.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().timeLeft, (search::Estimate{.likely = 24.0, .low = 14.0, .high = 44.0}));
        QCOMPARE(book.snapshot().progress, 11.0 / 35.0);
        // It has ended, and the search has not said yet what comes of it.
        trial::TrialResult result = okResult();
        result.id = 2;
        book.endTrial(result, {}, 13.0);
        book.takeTime(13.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().timeLeft->likely, 22.0);
        book.takeSearchState({.status = search::SearchState::Status::Confident});
        book.takeTime(13.0, std::nullopt, 1);
        QVERIFY(!book.snapshot().timeLeft);
    }

    /// What a person asks for is reason enough.
    void goesBackWithoutAReasonWhereSomebodyAskedForMore()
    {
        SnapshotBuilder book = bookWithATrialOf({}, 0.0);
        book.endTrial(okResult(), {}, 80.0);
        const auto foretelling = [](double seconds) {
            return search::SearchState{
                .expectedTrials = 10,
                .forecast = search::Forecast{
                    .seconds = search::Estimate{.likely = seconds, .low = seconds, .high = seconds}}};
        };
        book.takeSearchState(foretelling(20.0));
        book.takeTime(80.0, std::nullopt, 1);
        book.extend(10, std::nullopt);
        book.takeTime(80.0, std::nullopt, 1);
        book.takeSearchState(foretelling(80.0));
        book.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().progress, 0.5);
        QVERIFY(book.snapshot().setback.isEmpty());
        // Whatever comes after that has a reason.
        book.takeSearchState(foretelling(320.0));
        book.takeTime(80.0, std::nullopt, 1);
        QVERIFY(!book.snapshot().setback.isEmpty());
    }

    void saysWhyProgressGoesBack_data()
    {
        rows<int, Text>({{"more trials", {13, "3 more trials"}}, {"longer trials", {10, "longer"}}});
    }
    void saysWhyProgressGoesBack()
    {
        const auto& [expected, why] = row<int, Text>();
        const auto foretelling = [](int trials, double seconds) {
            return search::SearchState{
                .expectedTrials = trials,
                .forecast = search::Forecast{
                    .seconds = search::Estimate{.likely = seconds, .low = seconds, .high = seconds}}};
        };
        SnapshotBuilder book = bookWithATrialOf({}, 0.0);
        book.endTrial(okResult(), {}, 80.0);
        // The search has not said yet of how many that is the first.
        book.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().progress, 0.0);
        book.takeSearchState(foretelling(10, 20.0));
        book.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().progress, 0.8);
        // By less than a tenth of the whole it holds.
        book.takeSearchState(foretelling(expected, 25.0));
        book.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().progress, 0.8);
        QVERIFY(book.snapshot().setback.isEmpty());
        book.takeSearchState(foretelling(expected, 80.0));
        book.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().progress, 0.6);
        VERIFY_CONTAINS(book.snapshot().setback, why);
        VERIFY_CONTAINS(book.snapshot().log.back().text, "from 80 % to 60 %");
        // The reason is that of what is expected now.
        book.takeSearchState(foretelling(30, 80.0));
        book.takeTime(80.0, std::nullopt, 1);
        VERIFY_CONTAINS(book.snapshot().setback, "20 more trials");
        const auto lines = book.snapshot().log.size();
        book.takeTime(81.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().log.size(), lines);
        // It is told until it has caught up.
        QVERIFY(!book.snapshot().setback.isEmpty());
        book.takeSearchState(foretelling(expected, 10.0));
        book.takeTime(81.0, std::nullopt, 1);
        QVERIFY(book.snapshot().setback.isEmpty());
    }

    void accumulatesInTrainingAlone_data()
    {
        rows<model::Phase, int>(
            {{"training", {model::Phase::Train, 8}}, {"evaluation", {model::Phase::Eval, 0}}});
    }
    void accumulatesInTrainingAlone()
    {
        const auto& [phase, steps] = row<model::Phase, int>();
        engine::RunDescription run{.phase = phase};
        run.plan.globalBatchSize = 64;
        SnapshotBuilder book(run);
        book.takeSearchState({.recommendation = search::Recommendation{.size = 8}});
        QCOMPARE(book.snapshot().accumulationSteps, steps);
    }

    void foretellsTheVerification()
    {
        engine::RunDescription run;
        run.isVerified = true;
        SnapshotBuilder book(run);
        book.startTrial({.number = 1, .device = "cpu", .microBatchSize = 8}, 0.0);
        book.endTrial(okResult(), {}, 4.0);
        search::SearchState state{.recommendation = search::Recommendation{.size = 8},
                                  .forecast = search::Forecast{.seconds = search::Estimate{.likely = 30.0}}};
        book.takeSearchState(state);
        book.takeTime(4.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().timeLeft->likely, 34.0);
        state.forecast.reset();
        book.takeSearchState(state);
        book.setState(engine::State::Verifying);
        book.startTrial({.number = 2, .device = "cpu", .microBatchSize = 8}, 10.0);
        book.takeTime(11.0, std::nullopt, 1);
        QCOMPARE(book.snapshot().timeLeft->likely, 3.0);
    }

    void joinsTheEnergyOfCalmTrials()
    {
        SnapshotBuilder book({});
        struct Trial
        {
            std::int64_t size;
            int steps;
            std::optional<double> joules;
            std::vector<std::string> flags;
        };
        const std::vector<Trial> trials{
            {8, 5, 20.0, {}},         {8, 15, 66.0, {}}, {8, 5, 50.0, {"disturbed: heat"}},
            {8, 5, std::nullopt, {}}, {8, 5, 0.0, {}},   {4, 5, 1.0, {}}};
        std::int64_t id = 0;
        for (const Trial& trial : trials) {
            book.startTrial({.number = static_cast<int>(++id), .microBatchSize = trial.size}, 0.0);
            book.endTrial({.id = id,
                           .microBatchSize = trial.size,
                           .outcome = trial::Outcome::Ok,
                           .steps = trial.steps,
                           .samples = trial.size * trial.steps,
                           .secondsPerStep = 0.1,
                           .readings = {.energyJoules = trial.joules},
                           .flags = trial.flags},
                          {}, 1.0);
        }
        const auto& shown = book.snapshot().trials;
        QCOMPARE(*shown[0].joulesPerSample, 0.5);
        QVERIFY(!shown[3].joulesPerSample);
        QVERIFY(!shown[4].joulesPerSample);
        book.takeSearchState({.recommendation = search::Recommendation{.size = 8}});
        // 86 J for 160 samples.
        QCOMPARE(*book.snapshot().recommendedJoulesPerSample, 0.5375);
        book.takeSearchState({.recommendation = search::Recommendation{.size = 2}});
        QVERIFY(!book.snapshot().recommendedJoulesPerSample);
    }

    void takesTheWorkersOwnWordForTime()
    {
        SnapshotBuilder book = bookWithATrialOf({}, 3.0);
        trial::TrialResult result = okResult();
        result.wallSeconds = 1.75;
        book.endTrial(result, {}, 5.0);
        QCOMPARE(book.snapshot().trials.front().wallSeconds, 1.75);
    }

    void knowsTheSpread_data()
    {
        const auto add = rows<trial::TrialResult, double>();
        const std::vector<double> inTheResult{0.10, 0.10, 0.13, 0.16, 0.16};
        trial::TrialResult result = okResult();
        add("from the steps reported", {result, *trial::relativeStandardError(slowThenSteady)});
        result.stepSeconds = inTheResult;
        add("from the steps in the result", {result, *trial::relativeStandardError(inTheResult)});
        result.relativeError = 0.5;
        add("from the program itself", {result, 0.5});
    }
    void knowsTheSpread()
    {
        const auto& [result, relativeError] = row<trial::TrialResult, double>();
        SnapshotBuilder book = bookWithATrialOf(slowThenSteady, 0.0);
        book.endTrial(result, {}, 1.0);
        QCOMPARE(*book.snapshot().trials.front().relativeError, relativeError);
    }

    void leavesTheSpreadOpenWhereNobodyTellsIt()
    {
        SnapshotBuilder book = bookWithATrialOf({0.1, 0.1}, 0.0);
        book.endTrial(okResult(), {}, 1.0);
        QVERIFY(!book.snapshot().trials.front().relativeError);
    }

    void namesASmallerSizeThatIsClearlySmaller_data()
    {
        rows<qint64, Text>(
            {{"half", {32, "32 is within 2 % too."}}, {"nearly the same", {60, ""}}, {"none", {0, ""}}});
    }
    void namesASmallerSizeThatIsClearlySmaller()
    {
        const auto& [smaller, sentence] = row<qint64, Text>();
        SnapshotBuilder book({});
        book.takeSearchState(
            {.recommendation = search::Recommendation{.size = 64, .smallestWithinTolerance = smaller}});
        QCOMPARE(book.snapshot().smallerSize, sentence);
    }

    void forgetsAVerificationThatDidNotCome_data()
    {
        rows<Outcome, bool>({{"to come", {Outcome::Pending, false}}, {"failed", {Outcome::Failed, true}}});
    }
    void forgetsAVerificationThatDidNotCome()
    {
        const auto& [outcome, isKept] = row<Outcome, bool>();
        SnapshotBuilder book({});
        book.setState(engine::State::Verifying);
        book.setVerification(engine::Verification{.size = 8, .outcome = outcome});
        book.resumeSearch();
        QCOMPARE(book.snapshot().state, engine::State::Exploring);
        QCOMPARE(book.snapshot().verification.has_value(), isKept);
    }
};

BATCHPEAK_TEST(SnapshotBuilderTest)
#include "tst_snapshot_builder.moc"
