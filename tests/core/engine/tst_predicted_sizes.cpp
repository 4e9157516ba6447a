// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "snapshot/predicted_sizes.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <functional>

using namespace batchpeak;
using engine::PredictedSize;

namespace {

constexpr double optimizerSeconds = 0.2;

/// Returns the time of a micro-batch: 0.1 s plus 0.01 s per sample.
double formulaSeconds(std::int64_t size)
{
    return 0.1 + 0.01 * static_cast<double>(size);
}

trial::TrialRecord trialOf(std::int64_t size)
{
    return {.number = static_cast<int>(size),
            .microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .relativeError = 0.001,
            .secondsPerStep = formulaSeconds(size),
            .optimizerSeconds = optimizerSeconds,
            .timedSteps = 5,
            .wallSeconds = 1.0};
}

trial::TrialRecord trialOf(std::int64_t size, double seconds, const std::vector<std::string>& flags = {})
{
    trial::TrialRecord trial = trialOf(size);
    trial.secondsPerStep = seconds;
    trial::addFlags(trial, flags);
    return trial;
}

store::StoredExploration explorationOf(std::vector<trial::TrialRecord> trials, std::int64_t recommended = 8,
                                       std::int64_t batch = 24)
{
    store::StoredExploration exploration;
    exploration.summary.info = {.phase = QStringLiteral("train"), .globalBatchSize = batch};
    exploration.summary.recommendation = store::RecommendationRecord{.microBatchSize = recommended};
    exploration.trials = std::move(trials);
    return exploration;
}

/// Returns the same exploration as a snapshot at its end.
engine::Snapshot snapshotOf(const store::StoredExploration& exploration)
{
    engine::Snapshot snapshot;
    snapshot.run = engine::RunDescription{};
    snapshot.run->plan.globalBatchSize = exploration.summary.info.globalBatchSize;
    snapshot.run->plan.devices = exploration.summary.info.configDevices;
    if (const auto& recommendation = exploration.summary.recommendation)
        snapshot.searchState.recommendation = search::Recommendation{.size = recommendation->microBatchSize};
    snapshot.trials = exploration.trials;
    return snapshot;
}

/// Whether a batch takes that long. Between few trials, the curve is known to about a percent.
bool takes(const PredictedSize& size, std::int64_t batch, double seconds)
{
    const double predicted = static_cast<double>(batch) / size.samplesPerSecond;
    return std::abs(predicted / seconds - 1.0) < 0.02;
}

} // namespace

class PredictedSizesTest : public QObject
{
    Q_OBJECT

private slots:
    void predictsWholeSteps_data()
    {
        rows<int, int, double, int>(
            {{"a multiple", {8, 24, 0.2 + 3 * 0.18, 3}},
             {"two of one sample more than the third", {8, 23, 0.2 + 2 * 0.18 + 0.17, 3}},
             {"sizes between those that were tried", {16, 20, 0.2 + 2 * 0.2, 2}},
             {"the batch at once", {8, 8, 0.2 + 0.18, 1}},
             {"above the batch", {16, 12, 0.2 + 0.22, 1}},
             {"below all that were tried", {4, 2, 0.2 + 0.12, 1}}});
    }
    void predictsWholeSteps()
    {
        const auto& [recommended, batch, seconds, accumulationSteps] = row<int, int, double, int>();
        const auto sizes =
            engine::predictedSizes(explorationOf({trialOf(4), trialOf(8), trialOf(16)}, recommended, batch));
        QVERIFY(!sizes.empty());
        QCOMPARE(sizes.front().microBatchSize, std::min(recommended, batch));
        QCOMPARE(sizes.front().accumulationSteps, accumulationSteps);
        QVERIFY(takes(sizes.front(), batch, seconds));
        QVERIFY(!sizes.front().withoutOptimizer);
    }

    void namesTheRunnerUp_data()
    {
        // The last number is the runner-up; 0 for none.
        using Trials = std::vector<trial::TrialRecord>;
        const auto failed = [](std::int64_t size, const char* outcome) {
            return trial::TrialRecord{
                .microBatchSize = size,
                .outcome = trial::fromText<trial::Outcome>(outcome).value_or(trial::Outcome::Failed)};
        };
        rows<std::vector<trial::TrialRecord>, int, int>({
            {"the fastest other one", {Trials{trialOf(2), trialOf(4), trialOf(8)}, 24, 4}},
            {"also where it is predicted as faster", {Trials{trialOf(4), trialOf(8), trialOf(12)}, 24, 12}},
            {"alone", {Trials{trialOf(8)}, 24, 0}},
            {"both are the batch at once", {Trials{trialOf(8), trialOf(16)}, 8, 0}},
            {"both spread it equally", {Trials{trialOf(4), trialOf(8), trialOf(9)}, 22, 4}},
            {"thrashes", {Trials{trialOf(4), trialOf(8), trialOf(12, 0.01, {"thrashes"})}, 24, 4}},
            {"within the headroom",
             {Trials{trialOf(4), trialOf(8), trialOf(12, 0.01, {"within the headroom"})}, 24, 4}},
            {"did not fit once", {Trials{trialOf(4), trialOf(8), trialOf(12), failed(12, "oom")}, 24, 4}},
            {"crashed once", {Trials{trialOf(4), trialOf(8), trialOf(12), failed(12, "crashed")}, 24, 12}},
            {"an outcome of another version",
             {Trials{trialOf(4), trialOf(8), failed(12, "evaporated")}, 24, 4}},
        });
    }
    void namesTheRunnerUp()
    {
        const auto& [trials, batch, runnerUp] = row<std::vector<trial::TrialRecord>, int, int>();
        const auto sizes = engine::predictedSizes(explorationOf(trials, 8, batch));
        QCOMPARE(sizes.front().microBatchSize, 8);
        QCOMPARE(sizes.size() > 1 ? static_cast<int>(sizes[1].microBatchSize) : 0, runnerUp);
    }

    void combinesTrials_data()
    {
        using Trials = std::vector<trial::TrialRecord>;
        const std::vector<std::string> disturbed{"disturbed"};
        rows<std::vector<trial::TrialRecord>, double>(
            {{"one", {Trials{trialOf(8, 0.3)}, 0.3}},
             {"two calm ones", {Trials{trialOf(8, 0.39), trialOf(8, 0.41)}, 0.4}},
             {"calm before disturbed",
              {Trials{trialOf(8, 0.3), trialOf(8, 0.28, disturbed), trialOf(8, 0.33, disturbed)}, 0.3}}});
    }
    void combinesTrials()
    {
        const auto& [trials, seconds] = row<std::vector<trial::TrialRecord>, double>();
        const auto sizes = engine::predictedSizes(explorationOf(trials, 8, 16));
        QVERIFY(takes(sizes.front(), 16, optimizerSeconds + 2 * seconds));
    }

    void reportsAMissingOptimizerTime_data()
    {
        rows<Text, bool>({{"training", {"train", true}}, {"evaluation has none", {"eval", false}}});
    }
    void reportsAMissingOptimizerTime()
    {
        const auto& [phase, isMissing] = row<Text, bool>();
        trial::TrialRecord older = trialOf(8);
        older.optimizerSeconds.reset();
        auto exploration = explorationOf({older});
        exploration.summary.info.phase = phase;
        const auto sizes = engine::predictedSizes(exploration);
        QVERIFY(takes(sizes.front(), 24, 3 * 0.18));
        QCOMPARE(sizes.front().withoutOptimizer, isMissing);
    }

    void correctsTheLuckOfTheFastest()
    {
        std::vector<trial::TrialRecord> trials;
        for (const std::int64_t size : {2, 4, 6, 8, 10, 12, 16, 20, 24})
            trials.push_back(trialOf(size));
        // Trials are 4 % slower or faster from run to run, as on shared computers.
        for (std::size_t i = 0; i < trials.size(); ++i)
            *trials[i].secondsPerStep *= i % 2 == 0 ? 1.04 : 0.96;
        const PredictedSize size = engine::predictedSizes(explorationOf(trials, 8, 24)).front();
        const double asMeasured = 24.0 / (optimizerSeconds + 3.0 * 0.96 * formulaSeconds(8));
        QVERIFY(size.samplesPerSecond < asMeasured);
        QVERIFY(size.relativeError > 0.005);
    }

    void predictsForTheShareOfOneDevice()
    {
        auto exploration = explorationOf({trialOf(4), trialOf(8)}, 8, 47);
        exploration.summary.info.configDevices = 2;
        QVERIFY(takes(engine::predictedSizes(exploration).front(), 24, 0.2 + 3 * 0.18));
    }

    void predictsNothingWithout_data()
    {
        auto without = explorationOf({trialOf(8)});
        without.summary.recommendation.reset();
        rows<store::StoredExploration>(
            {{"a recommendation", without},
             {"a trial that ran",
              explorationOf({{.microBatchSize = 8, .outcome = trial::Outcome::OutOfMemory}})}});
    }
    void predictsNothingWithout()
    {
        const auto& exploration = row<store::StoredExploration>();
        QVERIFY(engine::predictedSizes(exploration).empty());
        QVERIFY(engine::predictedSizes(snapshotOf(exploration)).empty());
    }

    void predictsTheSameForASnapshot()
    {
        const std::vector<std::string> disturbed{"disturbed"};
        const auto exploration =
            explorationOf({trialOf(2),
                           trialOf(4),
                           trialOf(4, 0.1, disturbed),
                           trialOf(8),
                           trialOf(12, 0.01, {"thrashes"}),
                           trialOf(16, 0.01, {"within the headroom"}),
                           {.microBatchSize = 24, .outcome = trial::Outcome::OutOfMemory}});
        const auto ofHistory = engine::predictedSizes(exploration);
        QCOMPARE(ofHistory.size(), std::size_t{2});
        QVERIFY(engine::predictedSizes(snapshotOf(exploration)) == ofHistory);
    }

    void appearAtTheEndOfAnExploration_data()
    {
        using Change = std::function<void(test::ExplorationHarness&)>;
        test::rows<Change, bool>(
            {{"of training", {[](auto&) {}, true}},
             {"of evaluation",
              {[](auto& harness) {
                   harness.options.phase = model::Phase::Eval;
                   harness.contents.eval = harness.contents.train;
               },
               false}},
             {"of a network alone", {[](auto& harness) { harness.contents.train.reset(); }, false}}});
    }
    void appearAtTheEndOfAnExploration()
    {
        const auto& [change, appear] = test::row<std::function<void(test::ExplorationHarness&)>, bool>();
        test::ExplorationHarness harness;
        change(harness);
        bool isEarly = false;
        connect(&harness.exploration(), &engine::Exploration::snapshotChanged, this,
                [&](const engine::Snapshot& now) { isEarly |= !now.finish && !now.predictedSizes.empty(); });
        QVERIFY(harness.runToEnd());
        QVERIFY(!isEarly);
        QVERIFY(harness.snapshot().searchState.recommendation);
        QCOMPARE(!harness.snapshot().predictedSizes.empty(), appear);
        if (appear)
            QVERIFY(harness.snapshot().predictedSizes == engine::predictedSizes(harness.snapshot()));
    }
};

BATCHPEAK_TEST(PredictedSizesTest)
#include "tst_predicted_sizes.moc"
