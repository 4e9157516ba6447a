// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/strategies/posterior_strategy.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using exact::Sizes;
using Status = SearchState::Status;

class PosteriorStrategyTest : public QObject
{
    Q_OBJECT

private slots:
    void probesUpwards_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<Sizes>("expected");
        SearchSpace divisors = exact::spaceFor(1000);
        divisors.candidates = {1, 3, 5, 9, 15, 45};
        SearchSpace fromFive = exact::spaceFor(1000);
        fromFive.minimum = 5;
        SearchSpace hinted = exact::spaceFor(1000);
        hinted.startingHint = 253;
        SearchSpace hintedTooHigh = exact::spaceFor(100);
        hintedTooHigh.startingHint = 253;
        SearchSpace hintedLow = exact::spaceFor(1000);
        hintedLow.startingHint = 35;
        QTest::newRow("all sizes") << exact::spaceFor(1000) << Sizes{1, 8, 64};
        QTest::newRow("from a minimum") << fromFive << Sizes{5, 40, 320};
        QTest::newRow("a hint") << hinted << Sizes{1, 8, 64, 253};
        QTest::newRow("a hint below the probes") << hintedLow << Sizes{1, 8, 35};
        QTest::newRow("a hint beyond memory") << hintedTooHigh << Sizes{1, 8, 64, 94};
        QTest::newRow("divisors") << divisors << Sizes{1, 5, 15};
        QTest::newRow("one sample takes a fifth of the memory") << exact::spaceFor(5) << Sizes{1, 4};
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
            strategy.record(exact::trial(size, 500.0));
        }
    }

    void oneSizeSaysLittle()
    {
        PosteriorStrategy strategy(exact::spaceFor(300));
        strategy.next({});
        strategy.record(exact::trial(1, 4.0));
        const Recommendation& recommendation = *strategy.searchState().recommendation;
        QCOMPARE(recommendation.confidence, 2);
        QCOMPARE(recommendation.relativePerformance, 1.0);
        QCOMPARE(recommendation.reason.kind, Reason::Kind::Climbing);
        QCOMPARE(recommendation.reason.next, 8);
    }

    void probesWaitForEachOther()
    {
        PosteriorStrategy strategy(exact::spaceFor(300));
        const Sizes first{strategy.next({})->size};
        QVERIFY(!strategy.next(first));
        QCOMPARE(strategy.searchState().status, Status::Searching);
    }

    void findsTheLargestDivisorThatFits_data()
    {
        QTest::addColumn<std::int64_t>("batch");
        QTest::addColumn<std::int64_t>("largestFit");
        QTest::addColumn<std::int64_t>("best");
        const auto row = [](std::int64_t batch, std::int64_t largestFit, std::int64_t best) {
            QTest::addRow("%d in memory for %d", static_cast<int>(batch), static_cast<int>(largestFit))
                << batch << largestFit << best;
        };
        row(96, 49, 48);
        row(96, 46, 32);
        row(240, 62, 60);
        row(240, 58, 48);
        row(250, 11, 10);
        row(768, 197, 192);
        row(768, 186, 128);
        row(1024, 262, 256);
        row(1024, 248, 128);
        row(1000, 205, 200);
        row(127, 126, 1);
        row(250, 51, 50);
        row(500, 251, 250);
        row(768, 193, 192);
        row(1000, 202, 200);
        row(1024, 257, 256);
        row(1024, 259, 256);
    }
    void findsTheLargestDivisorThatFits()
    {
        // The limit is so close to a divisor that it cannot be told from small sizes on which side it lies.
        QFETCH(std::int64_t, batch);
        QFETCH(std::int64_t, largestFit);
        QFETCH(std::int64_t, best);
        SearchSpace space = exact::spaceFor(largestFit);
        for (std::int64_t size = 1; size <= batch; ++size) {
            if (batch % size == 0)
                space.candidates.push_back(size);
        }
        space.objective = Objective::Effective;
        space.perDeviceBatch = batch;
        PosteriorStrategy strategy(space);
        int failures = 0;
        const exact::TrialOf run = exact::deviceWith(space, 500.0);
        const Sizes sizes = exact::searchWith(strategy, [&](const Proposal& p) {
            const Measurement trial = run(p);
            failures += trial.outcome == Measurement::Outcome::DoesNotFit ? 1 : 0;
            return trial;
        });
        QCOMPARE(strategy.searchState().recommendation->size, best);
        QVERIFY(failures <= 1);
        QVERIFY(sizes.size() < static_cast<std::size_t>(space.maxTrials));
    }
};

BATCHPEAK_TEST(PosteriorStrategyTest)
#include "tst_posterior_strategy.moc"
