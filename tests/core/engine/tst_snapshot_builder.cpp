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

SnapshotBuilder builderWithATrialOf(const std::vector<double>& steps, double start)
{
    SnapshotBuilder builder({});
    builder.startTrial({.number = 1, .device = "cpu", .microBatchSize = 8}, start);
    builder.takeStep({.id = 1, .phase = trial::StepPhase::Warmup, .seconds = 5.0});
    for (const double seconds : steps)
        builder.takeStep({.id = 1, .seconds = seconds});
    return builder;
}

} // namespace

using Outcome = engine::Verification::Outcome;

class SnapshotBuilderTest : public QObject
{
    Q_OBJECT

private slots:
    void showsARunningTrialByItsSteps()
    {
        const SnapshotBuilder builder = builderWithATrialOf(slowThenSteady, 3.0);
        const trial::TrialRecord& trial = builder.snapshot().trials.front();
        QCOMPARE(trial.warmupSteps, 1);
        QCOMPARE(trial.timedSteps, 5);
        QCOMPARE(*trial.secondsPerStep, *trial::typicalStepSeconds(slowThenSteady));
        QCOMPARE(*trial.samplesPerSecond, 8 / *trial.secondsPerStep);
        QCOMPARE(*trial.relativeError, *trial::relativeStandardError(slowThenSteady));
    }

    void measuresTheTimeIfTheProgramReportsNone()
    {
        SnapshotBuilder builder = builderWithATrialOf(slowThenSteady, 3.0);
        const trial::TrialResult silent = okResult();
        QCOMPARE(engine::measurementOf(builder.endTrial(silent, {}, 5.0), silent, false, 5.0).wallSeconds,
                 2.0);
        SnapshotBuilder other = builderWithATrialOf(slowThenSteady, 3.0);
        trial::TrialResult reported = okResult();
        reported.wallSeconds = 7.5;
        QCOMPARE(engine::measurementOf(other.endTrial(reported, {}, 5.0), reported, false, 5.0).wallSeconds,
                 7.5);
    }

    void updatesTheTimeOfARunningTrial()
    {
        SnapshotBuilder builder = builderWithATrialOf({}, 3.0);
        builder.takeTime(4.5, std::nullopt, 1);
        QCOMPARE(builder.snapshot().trials.front().wallSeconds, 1.5);
        builder.endTrial(okResult(), {}, 5.0);
        builder.takeTime(9.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().trials.front().wallSeconds, 2.0);
    }

    void dropsRecalledTrialsWithTheSearch()
    {
        SnapshotBuilder builder = builderWithATrialOf({}, 0.0);
        builder.takeRecalled({{.trial = {.microBatchSize = 8}}});
        search::SearchState state;
        state.recalledTrials = 1;
        builder.takeSearchState(state);
        QCOMPARE(builder.snapshot().recalled.size(), std::size_t{1});
        state.recalledTrials = 0;
        builder.takeSearchState(state);
        QVERIFY(builder.snapshot().recalled.empty());
    }

    void countsDownTheForecast()
    {
        SnapshotBuilder builder = builderWithATrialOf({}, 0.0);
        builder.endTrial(okResult(), {}, 4.0);
        builder.takeSearchState(
            {.forecast =
                 search::Forecast{.seconds = search::Estimate{.likely = 30.0, .low = 20.0, .high = 50.0}}});
        builder.takeTime(4.5, std::nullopt, 1);
        QCOMPARE(builder.snapshot().timeLeft, (search::Estimate{.likely = 30.0, .low = 20.0, .high = 50.0}));
        builder.startTrial({.number = 2, .device = "cpu", .microBatchSize = 8}, 5.0);
        builder.takeTime(11.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().timeLeft, (search::Estimate{.likely = 24.0, .low = 14.0, .high = 44.0}));
        QCOMPARE(builder.snapshot().progress, 11.0 / 35.0);
        // The trial has ended, and the search has not forecast the rest yet.
        trial::TrialResult result = okResult();
        result.id = 2;
        builder.endTrial(result, {}, 13.0);
        builder.takeTime(13.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().timeLeft->likely, 22.0);
        builder.takeSearchState({.status = search::SearchState::Status::Confident});
        builder.takeTime(13.0, std::nullopt, 1);
        QVERIFY(!builder.snapshot().timeLeft);
    }

    /// A request of the user needs no further reason.
    void goesBackWithoutAReasonAfterAnExtension()
    {
        SnapshotBuilder builder = builderWithATrialOf({}, 0.0);
        builder.endTrial(okResult(), {}, 80.0);
        const auto forecasting = [](double seconds) {
            return search::SearchState{
                .expectedTrials = 10,
                .forecast = search::Forecast{
                    .seconds = search::Estimate{.likely = seconds, .low = seconds, .high = seconds}}};
        };
        builder.takeSearchState(forecasting(20.0));
        builder.takeTime(80.0, std::nullopt, 1);
        builder.extend(10, std::nullopt);
        builder.takeTime(80.0, std::nullopt, 1);
        builder.takeSearchState(forecasting(80.0));
        builder.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().progress, 0.5);
        QVERIFY(builder.snapshot().setback.isEmpty());
        // Any later setback has a reason.
        builder.takeSearchState(forecasting(320.0));
        builder.takeTime(80.0, std::nullopt, 1);
        QVERIFY(!builder.snapshot().setback.isEmpty());
    }

    void explainsWhyProgressGoesBack_data()
    {
        rows<int, Text>({{"more trials", {13, "3 more trials"}}, {"longer trials", {10, "longer"}}});
    }
    void explainsWhyProgressGoesBack()
    {
        const auto& [expected, why] = row<int, Text>();
        const auto forecasting = [](int trials, double seconds) {
            return search::SearchState{
                .expectedTrials = trials,
                .forecast = search::Forecast{
                    .seconds = search::Estimate{.likely = seconds, .low = seconds, .high = seconds}}};
        };
        SnapshotBuilder builder = builderWithATrialOf({}, 0.0);
        builder.endTrial(okResult(), {}, 80.0);
        // The search has not reported the expected number of trials yet.
        builder.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().progress, 0.0);
        builder.takeSearchState(forecasting(10, 20.0));
        builder.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().progress, 0.8);
        // Progress does not go back by less than a tenth of the whole.
        builder.takeSearchState(forecasting(expected, 25.0));
        builder.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().progress, 0.8);
        QVERIFY(builder.snapshot().setback.isEmpty());
        builder.takeSearchState(forecasting(expected, 80.0));
        builder.takeTime(80.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().progress, 0.6);
        VERIFY_CONTAINS(builder.snapshot().setback, why);
        VERIFY_CONTAINS(builder.snapshot().log.back().text, "from 80 % to 60 %");
        // The reason is that of the current forecast.
        builder.takeSearchState(forecasting(30, 80.0));
        builder.takeTime(80.0, std::nullopt, 1);
        VERIFY_CONTAINS(builder.snapshot().setback, "20 more trials");
        const auto lines = builder.snapshot().log.size();
        builder.takeTime(81.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().log.size(), lines);
        // The setback is shown until progress has caught up.
        QVERIFY(!builder.snapshot().setback.isEmpty());
        builder.takeSearchState(forecasting(expected, 10.0));
        builder.takeTime(81.0, std::nullopt, 1);
        QVERIFY(builder.snapshot().setback.isEmpty());
    }

    void accumulatesOnlyInTraining_data()
    {
        rows<model::Phase, int>(
            {{"training", {model::Phase::Train, 8}}, {"evaluation", {model::Phase::Eval, 0}}});
    }
    void accumulatesOnlyInTraining()
    {
        const auto& [phase, steps] = row<model::Phase, int>();
        engine::RunDescription run{.phase = phase};
        run.plan.globalBatchSize = 64;
        SnapshotBuilder builder(run);
        builder.takeSearchState({.recommendation = search::Recommendation{.size = 8}});
        QCOMPARE(builder.snapshot().accumulationSteps, steps);
    }

    void forecastsTheVerification()
    {
        engine::RunDescription run;
        run.isVerified = true;
        SnapshotBuilder builder(run);
        builder.startTrial({.number = 1, .device = "cpu", .microBatchSize = 8}, 0.0);
        builder.endTrial(okResult(), {}, 4.0);
        search::SearchState state{.recommendation = search::Recommendation{.size = 8},
                                  .forecast = search::Forecast{.seconds = search::Estimate{.likely = 30.0}}};
        builder.takeSearchState(state);
        builder.takeTime(4.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().timeLeft->likely, 34.0);
        state.forecast.reset();
        builder.takeSearchState(state);
        builder.setState(engine::State::Verifying);
        builder.startTrial({.number = 2, .device = "cpu", .microBatchSize = 8}, 10.0);
        builder.takeTime(11.0, std::nullopt, 1);
        QCOMPARE(builder.snapshot().timeLeft->likely, 3.0);
    }

    void combinesTheEnergyOfUndisturbedTrials()
    {
        SnapshotBuilder builder({});
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
            builder.startTrial({.number = static_cast<int>(++id), .microBatchSize = trial.size}, 0.0);
            builder.endTrial({.id = id,
                              .microBatchSize = trial.size,
                              .outcome = trial::Outcome::Ok,
                              .steps = trial.steps,
                              .samples = trial.size * trial.steps,
                              .secondsPerStep = 0.1,
                              .readings = {.energyJoules = trial.joules},
                              .flags = trial.flags},
                             {}, 1.0);
        }
        const auto& shown = builder.snapshot().trials;
        QCOMPARE(*shown[0].joulesPerSample, 0.5);
        QVERIFY(!shown[3].joulesPerSample);
        QVERIFY(!shown[4].joulesPerSample);
        builder.takeSearchState({.recommendation = search::Recommendation{.size = 8}});
        // 86 J for 160 samples.
        QCOMPARE(*builder.snapshot().recommendedJoulesPerSample, 0.5375);
        builder.takeSearchState({.recommendation = search::Recommendation{.size = 2}});
        QVERIFY(!builder.snapshot().recommendedJoulesPerSample);
    }

    void usesTheTimeThatTheWorkerReports()
    {
        SnapshotBuilder builder = builderWithATrialOf({}, 3.0);
        trial::TrialResult result = okResult();
        result.wallSeconds = 1.75;
        builder.endTrial(result, {}, 5.0);
        QCOMPARE(builder.snapshot().trials.front().wallSeconds, 1.75);
    }

    void reportsTheRelativeError_data()
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
    void reportsTheRelativeError()
    {
        const auto& [result, relativeError] = row<trial::TrialResult, double>();
        SnapshotBuilder builder = builderWithATrialOf(slowThenSteady, 0.0);
        builder.endTrial(result, {}, 1.0);
        QCOMPARE(*builder.snapshot().trials.front().relativeError, relativeError);
    }

    void omitsAnUnknownRelativeError()
    {
        SnapshotBuilder builder = builderWithATrialOf({0.1, 0.1}, 0.0);
        builder.endTrial(okResult(), {}, 1.0);
        QVERIFY(!builder.snapshot().trials.front().relativeError);
    }

    void namesAClearlySmallerSize_data()
    {
        rows<qint64, Text>(
            {{"half", {32, "32 is within 2 % too."}}, {"nearly the same", {60, ""}}, {"none", {0, ""}}});
    }
    void namesAClearlySmallerSize()
    {
        const auto& [smaller, sentence] = row<qint64, Text>();
        SnapshotBuilder builder({});
        builder.takeSearchState(
            {.recommendation = search::Recommendation{.size = 64, .smallestWithinTolerance = smaller}});
        QCOMPARE(builder.snapshot().smallerSize, sentence);
    }

    void forgetsAPendingVerification_data()
    {
        rows<Outcome, bool>({{"to come", {Outcome::Pending, false}}, {"failed", {Outcome::Failed, true}}});
    }
    void forgetsAPendingVerification()
    {
        const auto& [outcome, isKept] = row<Outcome, bool>();
        SnapshotBuilder builder({});
        builder.setState(engine::State::Verifying);
        builder.setVerification(engine::Verification{.size = 8, .outcome = outcome});
        builder.resumeSearch();
        QCOMPARE(builder.snapshot().state, engine::State::Exploring);
        QCOMPARE(builder.snapshot().verification.has_value(), isKept);
    }
};

BATCHPEAK_TEST(SnapshotBuilderTest)
#include "tst_snapshot_builder.moc"
