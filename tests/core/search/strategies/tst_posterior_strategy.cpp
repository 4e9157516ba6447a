// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "posterior_strategy.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace batchpeak::search;
using Outcome = Measurement::Outcome;
using Sizes = std::vector<std::int64_t>;
using Status = Outlook::Status;
using TrialOf = std::function<Measurement(const Proposal&)>;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t baselineBytes = 1000 * mebibyte;

/// Time overhead + size [ms], 50 MiB per sample, five steps without noise.
Measurement exactTrial(std::int64_t size, double overhead)
{
    const double seconds = 1e-3 * (overhead + static_cast<double>(size));
    return {.size = size,
            .outcome = Outcome::Ok,
            .secondsPerStep = seconds,
            .stepSeconds = std::vector<double>(5, seconds),
            .peakReservedBytes = baselineBytes + size * 50 * mebibyte,
            .wallSeconds = 1.0};
}

SearchSpace spaceFor(std::int64_t largestFit)
{
    return {.maximum = 65535,
            .memoryLimitBytes = baselineBytes + largestFit * 50 * mebibyte,
            .baselineBytes = baselineBytes};
}

Measurement outOfMemory(std::int64_t size)
{
    return {.size = size, .outcome = Outcome::DoesNotFit, .wallSeconds = 1.0};
}

/// Sizes proposed one after another until the search ends.
Sizes searchWith(PosteriorStrategy& strategy, const TrialOf& run)
{
    Sizes sizes;
    while (const auto proposal = strategy.next({})) {
        sizes.push_back(proposal->size);
        strategy.record(run(*proposal));
    }
    return sizes;
}

} // namespace

class PosteriorStrategyTest : public QObject
{
    Q_OBJECT

private slots:
    void probesUpwards_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<Sizes>("expected");
        SearchSpace divisors = spaceFor(1000);
        divisors.candidates = {1, 3, 5, 9, 15, 45};
        SearchSpace fromFive = spaceFor(1000);
        fromFive.minimum = 5;
        QTest::newRow("all sizes") << spaceFor(1000) << Sizes{1, 8, 64};
        QTest::newRow("from a minimum") << fromFive << Sizes{5, 40, 320};
        QTest::newRow("divisors") << divisors << Sizes{1, 5, 15};
        QTest::newRow("one sample takes a fifth of the memory") << spaceFor(5) << Sizes{1, 4};
    }
    void probesUpwards()
    {
        QFETCH(SearchSpace, space);
        QFETCH(Sizes, expected);
        PosteriorStrategy strategy(space);
        for (const std::int64_t size : expected) {
            const auto proposal = strategy.next({});
            QVERIFY(proposal);
            QCOMPARE(proposal->size, size);
            strategy.record(exactTrial(size, 500.0));
        }
    }

    void endsInEveryWay_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<TrialOf>("run");
        QTest::addColumn<Status>("status");
        QTest::addColumn<bool>("hasRecommendation");
        const TrialOf plain = [](const Proposal& p) { return exactTrial(p.size, 4.0); };
        SearchSpace few = spaceFor(1000);
        few.maxTrials = 3;
        SearchSpace two = spaceFor(1000);
        two.maximum = 2;
        two.targetConfidence = 1.0;
        const auto row = [](const char* name, const SearchSpace& space, const TrialOf& run, Status status,
                            bool hasRecommendation) {
            QTest::newRow(name) << space << run << status << hasRecommendation;
        };
        row("a smooth curve", spaceFor(300), plain, Status::Confident, true);
        row("few trials", few, plain, Status::Budget, true);
        row("two sizes", two, plain, Status::Exhausted, true);
        row(
            "nothing fits", spaceFor(300), [](const Proposal& p) { return outOfMemory(p.size); },
            Status::NothingFits, false);
        row(
            "one needs more than the limit", spaceFor(300),
            [](const Proposal& p) {
                Measurement trial = exactTrial(p.size, 4.0);
                trial.peakReservedBytes *= 100;
                return trial;
            },
            Status::NothingFits, false);
        row(
            "one thrashes", spaceFor(300),
            [](const Proposal& p) {
                Measurement trial = exactTrial(p.size, 4.0);
                trial.thrashes = true;
                return trial;
            },
            Status::NothingFits, false);
        row(
            "nothing can be told", spaceFor(300),
            [](const Proposal& p) { return Measurement{.size = p.size}; }, Status::Exhausted, false);
        row(
            "times that are none", spaceFor(300),
            [](const Proposal& p) {
                Measurement trial = exactTrial(p.size, 4.0);
                trial.secondsPerStep = std::numeric_limits<double>::quiet_NaN();
                return trial;
            },
            Status::Exhausted, false);
    }
    void endsInEveryWay()
    {
        QFETCH(SearchSpace, space);
        QFETCH(TrialOf, run);
        QFETCH(Status, status);
        QFETCH(bool, hasRecommendation);
        PosteriorStrategy strategy(space);
        QCOMPARE(strategy.outlook().status, Status::Searching);
        const Sizes sizes = searchWith(strategy, run);
        QVERIFY(sizes.size() <= static_cast<std::size_t>(space.maxTrials));
        QCOMPARE(strategy.outlook().status, status);
        QCOMPARE(strategy.outlook().recommendation.has_value(), hasRecommendation);
    }

    void oneSizeSaysLittle()
    {
        PosteriorStrategy strategy(spaceFor(300));
        strategy.next({});
        strategy.record(exactTrial(1, 4.0));
        const Recommendation& recommendation = *strategy.outlook().recommendation;
        QCOMPARE(recommendation.confidence, 2);
        QCOMPARE(recommendation.relativePerformance, 1.0);
        QCOMPARE(recommendation.reason.kind, Reason::Kind::Climbing);
        QCOMPARE(recommendation.reason.next, 8);
    }

    void probesWaitForEachOther()
    {
        PosteriorStrategy strategy(spaceFor(300));
        const Sizes first{strategy.next({})->size};
        QVERIFY(!strategy.next(first));
        QCOMPARE(strategy.outlook().status, Status::Searching);
    }

    void whatFailedIsNeverPassed()
    {
        PosteriorStrategy strategy(spaceFor(100000));
        const Sizes sizes = searchWith(strategy, [](const Proposal& p) {
            return p.size >= 40 ? outOfMemory(p.size) : exactTrial(p.size, 500.0);
        });
        const auto failure = std::ranges::find_if(sizes, [](std::int64_t size) { return size >= 40; });
        QVERIFY(failure != sizes.end());
        QVERIFY(
            std::all_of(std::next(failure), sizes.end(), [&](std::int64_t size) { return size < *failure; }));
        QVERIFY(strategy.outlook().recommendation->size < 40);
    }

    void effectiveCountsTheOptimizer()
    {
        // Without the optimizer 5 of 10 is as fast as 10; with it fewer, larger micro-batches win.
        SearchSpace space = spaceFor(1000);
        space.maximum = 10;
        space.objective = Objective::Effective;
        space.perDeviceBatch = 10;
        PosteriorStrategy strategy(space);
        searchWith(strategy, [](const Proposal& p) {
            Measurement trial = exactTrial(p.size, 3.0);
            trial.optimizerSeconds = 0.020;
            return trial;
        });
        const Recommendation& recommendation = *strategy.outlook().recommendation;
        QCOMPARE(recommendation.size, 10);
        QVERIFY(std::abs(recommendation.samplesPerSecond / (10.0 / 0.033) - 1.0) < 0.02);
    }

    void allEqualTimesAreNoTrouble()
    {
        PosteriorStrategy strategy(spaceFor(64));
        searchWith(strategy, [](const Proposal& p) {
            Measurement trial = exactTrial(p.size, 0.0);
            trial.secondsPerStep = 0.1;
            trial.stepSeconds.assign(5, 0.1);
            return trial;
        });
        QVERIFY(strategy.outlook().recommendation->size >= 60);
    }
};

QTEST_APPLESS_MAIN(PosteriorStrategyTest)
#include "tst_posterior_strategy.moc"
