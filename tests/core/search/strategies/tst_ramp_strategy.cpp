// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/strategies/ramp_strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak::search;
using exact::Sizes;
using Kind = Reason::Kind;
using Status = SearchState::Status;

class RampStrategyTest : public QObject
{
    Q_OBJECT

private slots:
    void climbsByPowersOfTwo_data()
    {
        SearchSpace fromFive = exact::spaceFor(1000);
        fromFive.minimum = 5;
        SearchSpace divisors = exact::spaceFor(1000);
        divisors.candidates = {1, 3, 5, 9, 15, 45};
        rows<SearchSpace, Sizes>({
            {"all sizes", {exact::spaceFor(1000), Sizes{1, 2, 4, 8, 16}}},
            {"from a minimum", {fromFive, Sizes{5, 8, 16, 32}}},
            {"divisors", {divisors, Sizes{1, 3, 5, 9, 15, 45}}},
            {"up to what memory holds", {exact::spaceFor(11), Sizes{1, 2, 4, 7, 8, 9}}},
        });
    }
    void climbsByPowersOfTwo()
    {
        const auto& [space, sizes] = row<SearchSpace, Sizes>();
        RampStrategy strategy(space);
        for (const std::int64_t size : sizes) {
            const auto proposal = strategy.next({});
            QVERIFY(proposal);
            QCOMPARE(proposal->size, size);
            strategy.record(exact::trial(size, 500.0));
        }
    }

    void hasLowConfidenceAfterOneSize()
    {
        RampStrategy strategy(exact::spaceFor(300));
        strategy.next({});
        strategy.record(exact::trial(1, 4.0));
        const Recommendation& recommendation = *strategy.searchState().recommendation;
        QCOMPARE(recommendation.confidence, 2);
        QCOMPARE(recommendation.relativePerformance, 1.0);
        QCOMPARE(recommendation.reason.kind, Kind::TooEarly);
        QCOMPARE(recommendation.reason.next, 2);
    }

    void reportsTheReasonOfItsEnd_data()
    {
        SearchSpace small = exact::spaceFor(1000);
        small.maximum = 2;
        rows<SearchSpace, double, Kind>({
            {"memory ends a rising curve", {exact::spaceFor(20), 500.0, Kind::MemoryEnds}},
            {"every allowed size is known", {small, 500.0, Kind::AllTried}},
            {"flat within the tolerance", {exact::spaceFor(60000), 0.1, Kind::Compared}},
        });
    }
    void reportsTheReasonOfItsEnd()
    {
        const auto& [space, overhead, kind] = row<SearchSpace, double, Kind>();
        RampStrategy strategy(space);
        exact::searchWith(
            strategy, [overhead = overhead](const Proposal& p) { return exact::trial(p.size, overhead); });
        QCOMPARE(strategy.searchState().recommendation->reason.kind, kind);
    }

    void triesTheLargestFitWhileThroughputRises()
    {
        RampStrategy strategy(exact::spaceFor(100));
        const Sizes sizes =
            exact::searchWith(strategy, [](const Proposal& p) { return exact::trial(p.size, 2000.0); });
        QVERIFY(std::ranges::max(sizes) >= 95);
        QVERIFY(std::ranges::max(sizes) <= 100);
        QVERIFY(strategy.searchState().recommendation->size >= 95);
    }

    void abandonsSizesThatCannotWin()
    {
        RampStrategy strategy(exact::spaceFor(300));
        QCOMPARE(strategy.next({})->abandonAboveSeconds, 0.0);
        strategy.record(exact::trial(1, 4.0));
        const double bound = strategy.next({})->abandonAboveSeconds;
        // Twice the time for twice the size, and a margin.
        QVERIFY(bound > 2.0 * 0.005 && bound < 2.0 * 0.005 * 1.2);
    }

    void proposesNoSizeInFlight()
    {
        RampStrategy strategy(exact::spaceFor(300));
        const Sizes first{strategy.next({})->size};
        QVERIFY(!strategy.next(first));
        QCOMPARE(strategy.searchState().status, Status::Searching);
        for (const std::int64_t size : {1, 2, 4, 8})
            strategy.record(exact::trial(size, 20.0));

        Sizes inFlight;
        while (const auto proposal = strategy.next(inFlight)) {
            QVERIFY(std::ranges::find(inFlight, proposal->size) == inFlight.end());
            inFlight.push_back(proposal->size);
            QVERIFY(inFlight.size() < static_cast<std::size_t>(SearchSpace{}.maxTrials));
        }
        QVERIFY(inFlight.size() >= 3);
    }
};

BATCHPEAK_TEST(RampStrategyTest)
#include "tst_ramp_strategy.moc"
