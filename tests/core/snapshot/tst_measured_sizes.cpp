// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/measured_sizes.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak;
using engine::MeasuredSize;
using engine::Snapshot;
using trial::Outcome;
using trial::TrialRecord;

namespace {

TrialRecord trialOf(int number, std::int64_t size, double samplesPerSecond, std::optional<double> error)
{
    return {.number = number,
            .device = "cpu",
            .microBatchSize = size,
            .outcome = Outcome::Ok,
            .samplesPerSecond = samplesPerSecond,
            .relativeError = error,
            .peakReservedBytes = 1000 * size};
}

TrialRecord failed(int number, std::int64_t size, Outcome outcome)
{
    return {.number = number, .device = "cpu", .microBatchSize = size, .outcome = outcome};
}

TrialRecord comparisonOf(int number, Outcome outcome, std::initializer_list<std::int64_t> sizes)
{
    TrialRecord comparison{.number = number, .device = "cpu", .visits = 4, .outcome = outcome};
    for (const std::int64_t size : sizes)
        comparison.compared.push_back({.microBatchSize = size,
                                       .samplesPerSecond = 100.0,
                                       .relativeError = 0.01,
                                       .peakReservedBytes = 2000 * size});
    return comparison;
}

std::vector<MeasuredSize> sizesOf(std::vector<TrialRecord> trials)
{
    Snapshot snapshot;
    snapshot.trials = std::move(trials);
    return engine::measuredSizes(snapshot);
}

} // namespace

class MeasuredSizesTest : public QObject
{
    Q_OBJECT

private slots:
    void ordersSizesAndTheirTrials()
    {
        const auto sizes = sizesOf({trialOf(1, 8, 80.0, {}), trialOf(2, 1, 20.0, {}),
                                    comparisonOf(3, Outcome::Ok, {16, 8}), failed(4, 8, Outcome::Failed)});
        QCOMPARE(sizes.size(), std::size_t{3});
        QCOMPARE(sizes[0].microBatchSize, 1);
        QCOMPARE(sizes[1].microBatchSize, 8);
        QCOMPARE(sizes[2].microBatchSize, 16);
        QCOMPARE(sizes[1].trials, (std::vector<int>{1, 3, 4}));
        QCOMPARE(sizes[1].soundTrials, 2);
        QCOMPARE(sizes[1].peakReservedBytes, 16000);
    }

    void weighsTrialsByTheirPrecision()
    {
        // Two equal values add one degree of freedom without scatter to the prior of 1 %, which has one too.
        const auto equal = sizesOf({trialOf(1, 8, 100.0, 0.01), trialOf(2, 8, 100.0, 0.03)});
        const double scatter = 0.01 / std::sqrt(2.0);
        const double first = 1.0 / (0.01 * 0.01 + scatter * scatter);
        const double second = 1.0 / (0.03 * 0.03 + scatter * scatter);
        QCOMPARE(*equal.front().samplesPerSecond, 100.0);
        QCOMPARE(*equal.front().relativeError, 1.0 / std::sqrt(first + second));

        const auto unequal = sizesOf({trialOf(1, 8, 100.0, 0.001), trialOf(2, 8, 101.0, 0.5)});
        QVERIFY(*unequal.front().samplesPerSecond < 100.1);
    }

    void includesScatterInItsError()
    {
        // Each trial reports a small error, but they contradict each other.
        const auto unequal = sizesOf({trialOf(1, 8, 90.0, 0.001), trialOf(2, 8, 110.0, 0.001)});
        QVERIFY(std::abs(*unequal.front().samplesPerSecond - 100.0) < 0.1);
        QVERIFY2(*unequal.front().relativeError > 0.05,
                 qPrintable(QString::number(*unequal.front().relativeError)));
    }

    void reportsNoErrorIfNoneIsKnown()
    {
        const auto alone = sizesOf({trialOf(1, 8, 100.0, {})});
        QCOMPARE(*alone.front().samplesPerSecond, 100.0);
        QVERIFY(!alone.front().relativeError);
        QVERIFY(sizesOf({trialOf(1, 8, 100.0, 0.02)}).front().relativeError == 0.02);
    }

    void leavesOutUnsoundTrials_data()
    {
        TrialRecord disturbed = trialOf(2, 8, 50.0, 0.01);
        disturbed.disturbed = true;
        TrialRecord thrashing = trialOf(2, 8, 50.0, 0.01);
        thrashing.thrashes = true;
        TrialRecord running = trialOf(2, 8, 50.0, 0.01);
        running.outcome.reset();
        TrialRecord lost = comparisonOf(2, Outcome::Crashed, {8, 16});
        lost.compared.front().samplesPerSecond = 50.0;
        TrialRecord thrashingComparison = comparisonOf(2, Outcome::Ok, {8, 16});
        thrashingComparison.compared.front().samplesPerSecond = 50.0;
        thrashingComparison.thrashes = true;
        rows<TrialRecord>({{"disturbed", disturbed},
                           {"thrashes", thrashing},
                           {"runs", running},
                           {"out of memory", failed(2, 8, Outcome::OutOfMemory)},
                           {"a comparison that crashed", lost},
                           {"a comparison that thrashes", thrashingComparison}});
    }
    void leavesOutUnsoundTrials()
    {
        const auto sizes = sizesOf({trialOf(1, 8, 100.0, 0.01), row<TrialRecord>()});
        QCOMPARE(*sizes.front().samplesPerSecond, 100.0);
        QCOMPARE(sizes.front().soundTrials, 1);
        QCOMPARE(sizes.front().trials, (std::vector<int>{1, 2}));
    }

    void usesDisturbedTrialsIfThereAreNoOthers()
    {
        TrialRecord disturbed = trialOf(1, 8, 50.0, 0.01);
        disturbed.disturbed = true;
        QCOMPARE(*sizesOf({disturbed}).front().samplesPerSecond, 50.0);
    }

    void keepsSizesThatRanBeforeAComparisonFailed()
    {
        TrialRecord ended = comparisonOf(1, Outcome::OutOfMemory, {8, 16});
        ended.microBatchSize = 16;
        ended.compared.back().samplesPerSecond.reset();
        const auto sizes = sizesOf({ended});
        QCOMPARE(*sizes.front().samplesPerSecond, 100.0);
        QVERIFY(!sizes.back().samplesPerSecond);
    }

    void usesRecalledTrialsOfSizesWithoutOthers()
    {
        Snapshot snapshot;
        snapshot.trials = {trialOf(1, 8, 100.0, 0.01)};
        for (const std::int64_t size : {8, 16, 16})
            snapshot.recalled.push_back({.trial = trialOf(0, size, 10.0 * static_cast<double>(size), 0.01)});
        const auto sizes = engine::measuredSizes(snapshot);
        QCOMPARE(sizes.size(), std::size_t{2});
        QCOMPARE(*sizes.front().samplesPerSecond, 100.0);
        QCOMPARE(sizes.front().soundTrials, 1);
        QVERIFY(sizes.back().trials.empty());
        QCOMPARE(*sizes.back().samplesPerSecond, 160.0);
        QCOMPARE(sizes.back().soundTrials, 2);
    }

    void reportsWhichSizesRan_data()
    {
        const TrialRecord ran = trialOf(1, 16, 100.0, 0.01);
        TrialRecord thrashed = ran;
        thrashed.thrashes = true;
        Snapshot none;
        Snapshot own;
        own.trials = {ran};
        Snapshot compared;
        compared.trials = {comparisonOf(1, Outcome::Ok, {8, 16})};
        Snapshot recalled;
        recalled.recalled = {{.trial = ran}};
        Snapshot recalledThrashing;
        recalledThrashing.recalled = {{.trial = thrashed}};
        Snapshot tooLarge = recalled;
        tooLarge.searchState.smallestFailure = 16;
        rows<Snapshot, bool>({{"not tried", {none, false}},
                              {"tried", {own, true}},
                              {"compared", {compared, true}},
                              {"recalled", {recalled, true}},
                              {"recalled, and thrashed", {recalledThrashing, false}},
                              {"recalled, and too large now", {tooLarge, false}}});
    }
    void reportsWhichSizesRan()
    {
        const auto& [snapshot, isKnown] = row<Snapshot, bool>();
        QCOMPARE(engine::hasRun(snapshot, 16), isKnown);
        QVERIFY(!engine::hasRun(snapshot, 17));
    }

    void returnsTheSearchsEstimates()
    {
        Snapshot snapshot;
        snapshot.trials = {trialOf(1, 8, 100.0, 0.01), trialOf(2, 16, 110.0, 0.01)};
        snapshot.searchState.recommendation =
            search::Recommendation{.size = 16, .samplesPerSecond = 108.5, .relativeError = 0.004};
        snapshot.searchState.estimates = {{.size = 8, .samplesPerSecond = 99.0, .relativeError = 0.003},
                                          {.size = 16, .samplesPerSecond = 108.5, .relativeError = 0.004}};
        const auto sizes = engine::measuredSizes(snapshot);
        QVERIFY(!sizes.front().isRecommended);
        QCOMPARE(*sizes.front().samplesPerSecond, 99.0);
        QCOMPARE(*sizes.front().relativeError, 0.003);
        QVERIFY(sizes.back().isRecommended);
        QCOMPARE(*sizes.back().samplesPerSecond, 108.5);
        QCOMPARE(*sizes.back().relativeError, 0.004);
    }
};

BATCHPEAK_TEST(MeasuredSizesTest)
#include "tst_measured_sizes.moc"
