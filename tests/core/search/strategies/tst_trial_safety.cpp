// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "middle_of_search.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using exact::Sizes;
using Trials = std::vector<Measurement>;

namespace {

Measurement ran(std::int64_t size)
{
    return exact::trial(size, 4.0);
}

Measurement failed(std::int64_t size)
{
    return exact::outOfMemory(size);
}

Measurement thrashed(std::int64_t size)
{
    Measurement trial = ran(size);
    trial.thrashes = true;
    return trial;
}

} // namespace

class TrialSafetyTest : public QObject
{
    Q_OBJECT

private slots:
    void knowsWhatIsSafe_data()
    {
        QTest::addColumn<Trials>("trials");
        QTest::addColumn<Sizes>("list");
        QTest::addColumn<std::int64_t>("size");
        QTest::addColumn<bool>("isSafe");
        const auto row = [](const char* name, const Trials& trials, const Sizes& list, std::int64_t size,
                            bool isSafe) { QTest::newRow(name) << trials << list << size << isSafe; };
        const Trials small{ran(1), ran(2)};
        const Trials large{ran(8), ran(64)};
        const Trials thrashing{ran(1), ran(8), thrashed(90)};
        row("sixteen times what ran", small, {}, 32, true);
        row("further than that", small, {}, 33, false);
        row("further, but the next of the list", small, {1, 2, 40}, 40, true);
        row("further, and not the next of the list", small, {1, 2, 32, 40}, 40, false);
        row("near the limit", large, {}, 90, true);
        row("at the limit", large, {}, 100, false);
        row("next of the list, but at the limit", large, {8, 64, 101}, 101, false);
        row("below what ran", {ran(64)}, {}, 63, true);
        row("just below a size that thrashed", thrashing, {}, 89, true);
        row("the size that thrashed", thrashing, {}, 90, false);
        row("above the size that thrashed", thrashing, {}, 91, false);
        row("below a size that ran above the limit", {ran(1), ran(8), ran(120)}, {}, 119, true);
        row("the size that ran above the limit", {ran(1), ran(8), ran(120)}, {}, 120, false);
        row("above a size that did not fit", {ran(8), failed(20)}, {}, 21, false);
        row("failed below what ran", {ran(8), failed(4)}, {}, 4, false);
        row("beside one that failed below what ran", {ran(8), failed(4)}, {}, 5, true);
    }
    void knowsWhatIsSafe()
    {
        QFETCH(Trials, trials);
        QFETCH(Sizes, list);
        QFETCH(std::int64_t, size);
        QFETCH(bool, isSafe);
        const MiddleOfSearch search(trials, list);
        QCOMPARE(search.safety().isSafe(size), isSafe);
    }

    void demandsMoreWhereMoreIsAtStake_data()
    {
        QTest::addColumn<Trials>("trials");
        QTest::addColumn<Sizes>("inFlight");
        QTest::addColumn<double>("demanded");
        QTest::newRow("at first") << Trials{ran(1)} << Sizes{} << 0.8;
        QTest::newRow("out of memory") << Trials{ran(1), failed(8)} << Sizes{} << 0.97;
        QTest::newRow("thrashing is no failure") << Trials{ran(1), thrashed(8)} << Sizes{} << 0.8;
        QTest::newRow("nor is the headroom") << Trials{ran(1), ran(101)} << Sizes{} << 0.8;
        QTest::newRow("beside a known size") << Trials{ran(8)} << Sizes{8, 4} << 0.8;
        QTest::newRow("beside an unknown size") << Trials{ran(8)} << Sizes{8, 9} << 0.985;
    }
    void demandsMoreWhereMoreIsAtStake()
    {
        QFETCH(Trials, trials);
        QFETCH(Sizes, inFlight);
        QFETCH(double, demanded);
        MiddleOfSearch search(trials);
        search.inFlight = inFlight;
        QCOMPARE(search.safety().demandedFit(), demanded);
    }

    void whatRanBelowFits_data()
    {
        QTest::addColumn<std::int64_t>("size");
        QTest::addColumn<double>("fit");
        QTest::newRow("good") << std::int64_t{8} << 1.0;
        QTest::newRow("below a size that thrashed") << std::int64_t{89} << 1.0;
        QTest::newRow("the size that thrashed") << std::int64_t{90} << 0.0;
        QTest::newRow("above it") << std::int64_t{91} << 0.0;
    }
    void whatRanBelowFits()
    {
        QFETCH(std::int64_t, size);
        QFETCH(double, fit);
        const MiddleOfSearch search({ran(1), ran(8), thrashed(90)});
        QCOMPARE(search.safety().predictedFit(size), fit);
    }

    void givesUpOnVoidTrials()
    {
        const Measurement isVoid{.size = 4};
        QVERIFY(MiddleOfSearch({isVoid}).safety().isUsable(4));
        QVERIFY(!MiddleOfSearch({isVoid, isVoid}).safety().isUsable(4));
        QVERIFY(MiddleOfSearch({isVoid, isVoid}).safety().isUsable(5));
    }

    void proposesNothingTwice()
    {
        MiddleOfSearch search({ran(1), ran(8)});
        QVERIFY(search.safety().mayBeTried(4));
        search.inFlight = {4};
        QVERIFY(!search.safety().mayBeTried(4));
    }
};

BATCHPEAK_TEST(TrialSafetyTest)
#include "tst_trial_safety.moc"
