// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "middle_of_search.h"
#include "search/strategies/judgement.h"
#include "search/strategies/limit_probe.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using exact::Sizes;
using Rivals = std::vector<Judgement::Rival>;
using Trials = std::vector<Measurement>;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

Measurement ran(std::int64_t size)
{
    return exact::trial(size, 4.0);
}

/// Needs a little less than the line through the others says.
Measurement ranInLess(std::int64_t size)
{
    Measurement trial = ran(size);
    trial.peakReservedBytes -= 8 * mebibyte;
    return trial;
}

/// One sample that takes this share of the memory.
Measurement oneSampleTaking(double share)
{
    Measurement trial = ran(1);
    trial.peakReservedBytes =
        static_cast<std::int64_t>(share * static_cast<double>(exact::spaceFor(100).memoryLimitBytes));
    return trial;
}

/// Where the even chance of a size is to be told from a safe one.
constexpr double even = 0.5;
constexpr double safe = 0.8;

} // namespace

class LimitProbeTest : public QObject
{
    Q_OBJECT

private slots:
    void looksOnTheWay_data()
    {
        QTest::addColumn<Trials>("trials");
        QTest::addColumn<Sizes>("list");
        QTest::newRow("three sizes ran") << Trials{ran(1), ran(8), ran(32)} << Sizes{1, 8, 32, 100};
        QTest::newRow("just above the limit") << Trials{ran(1), ran(8), ran(64)} << Sizes{1, 8, 64, 101};
        QTest::newRow("after a failure")
            << Trials{ran(1), ran(8), ran(32), exact::outOfMemory(200)} << Sizes{1, 8, 32, 100, 200};
    }
    void looksOnTheWay()
    {
        QFETCH(Trials, trials);
        QFETCH(Sizes, list);
        const MiddleOfSearch search(trials, list);
        const std::int64_t ranLargest = search.history.largestGood();
        const std::int64_t wanted = *search.candidates.above(ranLargest);
        const Judgement judgement{.rivals = {{.size = wanted, .probability = 0.2}}};
        const auto probe = LimitProbe(search.situation(), judgement).next();
        QVERIFY(probe);
        QVERIFY(*probe > ranLargest && *probe < wanted);
        QVERIFY(search.safety().isSafe(*probe));
    }

    void risksOnlyWhatIsWorthIt_data()
    {
        QTest::addColumn<Trials>("trials");
        QTest::addColumn<Sizes>("list");
        QTest::addColumn<Rivals>("rivals");
        QTest::addColumn<std::int64_t>("next");
        const auto row = [](const char* name, const Trials& trials, const Sizes& list, const Rivals& rivals,
                            std::int64_t next) { QTest::newRow(name) << trials << list << rivals << next; };
        const Trials told{ranInLess(8), ranInLess(98)};
        const Trials small{ran(1), ran(8), ran(32)};
        const Rivals hundred{{.size = 100, .probability = 0.3}};
        row("an even chance, all else told", told, {8, 98, 100}, hundred, 100);
        row("less than an even chance", {ran(8), ran(99)}, {8, 99, 102}, {{.size = 102, .probability = 0.3}},
            0);
        row("after a failure", {told[0], told[1], exact::outOfMemory(300)}, {8, 98, 100, 300}, hundred, 0);
        row("little to gain", told, {8, 98, 100}, {{.size = 100, .probability = 0.01}}, 0);
        row("nothing to gain on the way", small, {1, 8, 32, 100}, {{.size = 8, .probability = 0.3}}, 0);
        row("the next size is safe", small, {1, 8, 32, 40}, {{.size = 40, .probability = 0.3}}, 0);
        row("the next size is excluded", {ran(8), ran(98), exact::outOfMemory(100)}, {8, 98, 100}, {}, 0);
        row("nothing ran", {}, {1, 100}, {}, 0);
        row("one sample takes most, and its neighbour may fit", {oneSampleTaking(0.7)}, {}, {}, 2);
        row("and its neighbour is no answer", {oneSampleTaking(0.7)}, {1, 5, 25}, {}, 2);
        row("one sample takes nearly all", {oneSampleTaking(0.995)}, {}, {}, 0);
    }
    void risksOnlyWhatIsWorthIt()
    {
        QFETCH(Trials, trials);
        QFETCH(Sizes, list);
        QFETCH(Rivals, rivals);
        QFETCH(std::int64_t, next);
        const MiddleOfSearch search(trials, list);
        const Judgement judgement{.rivals = rivals};
        QCOMPARE(LimitProbe(search.situation(), judgement).next().value_or(0), next);
    }

    void evenChanceIsWhatItSays()
    {
        const MiddleOfSearch search({ranInLess(8), ranInLess(98)}, {8, 98, 100});
        const double fit = search.memory->probabilityOfFit(100);
        QVERIFY(fit >= even && fit < safe);
    }

    void waitsForLargerSizesUnderWay_data()
    {
        QTest::addColumn<std::int64_t>("underWay");
        QTest::addColumn<bool>("waits");
        QTest::newRow("one that ran") << std::int64_t{32} << false;
        QTest::newRow("one that may fail") << std::int64_t{48} << true;
    }
    void waitsForLargerSizesUnderWay()
    {
        QFETCH(std::int64_t, underWay);
        QFETCH(bool, waits);
        MiddleOfSearch search({ran(1), ran(8), ran(32)}, {1, 8, 32, 100});
        search.inFlight = {underWay};
        const Judgement judgement{.rivals = {{.size = 100, .probability = 0.3}}};
        QCOMPARE(LimitProbe(search.situation(), judgement).next().has_value(), !waits);
    }

    void knowsWhenMoreTrialsAreInVain_data()
    {
        QTest::addColumn<Rivals>("rivals");
        QTest::addColumn<Sizes>("inFlight");
        QTest::addColumn<bool>("isInVain");
        const Judgement::Rival beyond{.size = 100, .probability = 0.3};
        const auto row = [](const char* name, const Rivals& rivals, const Sizes& inFlight, bool isInVain) {
            QTest::newRow(name) << rivals << inFlight << isInVain;
        };
        row("no rival", {}, {}, true);
        row("one that cannot be tried", {beyond}, {}, true);
        row("one that is under way", {beyond}, {100}, false);
        row("one that can be measured again", {beyond, {.size = 8, .probability = 0.05}}, {}, false);
        row("one that can be tried", {beyond, {.size = 48, .probability = 0.05}}, {}, false);
        row("an unlikely one", {beyond, {.size = 48, .probability = 0.006}}, {}, true);
    }
    void knowsWhenMoreTrialsAreInVain()
    {
        QFETCH(Rivals, rivals);
        QFETCH(Sizes, inFlight);
        QFETCH(bool, isInVain);
        MiddleOfSearch search({ran(1), ran(8), ran(32)}, {1, 8, 32, 48, 100});
        search.inFlight = inFlight;
        const Judgement judgement{.rivals = rivals};
        QCOMPARE(LimitProbe(search.situation(), judgement).isInVain(), isInVain);
    }
};

BATCHPEAK_TEST(LimitProbeTest)
#include "tst_limit_probe.moc"
