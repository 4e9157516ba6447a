// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "posterior_strategy.h"

#include <QTest>

using namespace batchpeak::search;
using exact::Sizes;
using Status = Outlook::Status;

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
        QTest::newRow("all sizes") << exact::spaceFor(1000) << Sizes{1, 8, 64};
        QTest::newRow("from a minimum") << fromFive << Sizes{5, 40, 320};
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
        const Recommendation& recommendation = *strategy.outlook().recommendation;
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
        QCOMPARE(strategy.outlook().status, Status::Searching);
    }
};

QTEST_APPLESS_MAIN(PosteriorStrategyTest)
#include "tst_posterior_strategy.moc"
