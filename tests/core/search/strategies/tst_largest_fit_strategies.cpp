// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <string>

using namespace batchpeak::search;
using exact::Sizes;
using exact::TrialOf;
using Status = SearchState::Status;

namespace {

constexpr double overhead = 500.0;

SearchSpace unrounded(SearchSpace space)
{
    space.predictsPowersOfTwo = false;
    return space;
}

SearchSpace withBatch(SearchSpace space, std::int64_t perDeviceBatch)
{
    space.perDeviceBatch = perDeviceBatch;
    return space;
}

SearchSpace within(SearchSpace space, std::int64_t minimum, std::int64_t maximum)
{
    space.minimum = minimum;
    space.maximum = maximum;
    return space;
}

/// Search from beginning to end: the sizes in order, and the recommendation.
struct Search
{
    std::string strategy;
    SearchSpace space;
    TrialOf run;
    Sizes sizes;
    std::int64_t best;
};

SearchSpace divisorsOf384(SearchSpace space)
{
    space.candidates = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 384};
    return withBatch(space, 384);
}

} // namespace

/// Tests that the strategies that users know from other tools try exactly the sizes that those tools try.
class LargestFitStrategiesTest : public QObject
{
    Q_OBJECT

private slots:
    void triesTheExpectedSizes_data()
    {
        const SearchSpace hundred = exact::spaceFor(100);
        const TrialOf holdsHundred = exact::deviceWith(hundred, overhead);
        const auto withOdd = [&](std::int64_t odd, const Measurement& result) {
            return TrialOf([=](const Proposal& p) { return p.size == odd ? result : holdsHundred(p); });
        };
        Measurement thrashing = exact::trial(75, overhead);
        thrashing.thrashes = true;
        Measurement aboveHeadroom = exact::trial(75, overhead);
        aboveHeadroom.peakReservedBytes = hundred.memoryLimitBytes + 1;
        const TrialOf samePeaks = [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, overhead);
            trial.peakReservedBytes = exact::trial(1, overhead).peakReservedBytes;
            return trial;
        };
        const auto add = rows<Search>();
        const auto addFor = [&](const std::string& strategy, const std::string& what,
                                const SearchSpace& space, const TrialOf& run, const Sizes& sizes,
                                std::int64_t best) {
            add(strategy + ": " + what, {strategy, space, run, sizes, best});
        };
        addFor("halving", "from the batch", withBatch(hundred, 300), holdsHundred, {300, 150, 75}, 75);
        addFor("halving", "without a batch", within(hundred, 1, 1000), holdsHundred, {512, 256, 128, 64}, 64);
        addFor("halving", "the batch fits", withBatch(hundred, 90), holdsHundred, {90}, 90);
        addFor("halving", "a maximum below the batch", withBatch(within(hundred, 1, 40), 300), holdsHundred,
               {40}, 40);
        addFor("halving", "divisors", divisorsOf384(hundred), holdsHundred, {384, 192, 96}, 96);
        addFor("halving", "down to the smallest", withBatch(within(exact::spaceFor(5), 5, 1000), 17),
               exact::deviceWith(exact::spaceFor(5), overhead), {17, 8, 5}, 5);
        addFor("halving", "a size of which nothing is known", withBatch(hundred, 150),
               withOdd(75, Measurement{.size = 75}), {150, 75, 75, 37}, 37);
        addFor("halving", "a size that thrashes", withBatch(hundred, 150), withOdd(75, thrashing),
               {150, 75, 37}, 37);
        addFor("halving", "a size above the headroom", withBatch(hundred, 150), withOdd(75, aboveHeadroom),
               {150, 75, 37}, 37);

        addFor("binary", "up and down to the limit", hundred, holdsHundred,
               {1, 2, 4, 8, 16, 32, 64, 128, 96, 112, 104, 100, 102, 101}, 100);
        addFor("binary", "up to the maximum", within(hundred, 1, 20), holdsHundred, {1, 2, 4, 8, 16, 20}, 20);
        addFor("binary", "divisors", divisorsOf384(hundred), holdsHundred, {1, 2, 4, 8, 16, 32, 64, 128, 96},
               96);
        addFor("binary", "a size of which nothing is known", within(hundred, 1, 20),
               withOdd(16, Measurement{.size = 16}), {1, 2, 4, 8, 16, 16, 20}, 20);
        addFor("binary", "one fits", exact::spaceFor(1), exact::deviceWith(exact::spaceFor(1), overhead),
               {1, 2}, 1);

        addFor("predict", "rounded down to a power of two", hundred, holdsHundred, {1, 2, 64}, 64);
        addFor("predict", "exactly a power of two", exact::spaceFor(128),
               exact::deviceWith(exact::spaceFor(128), overhead), {1, 2, 128}, 128);
        addFor("predict", "as it is", unrounded(hundred), holdsHundred, {1, 2, 100}, 100);
        addFor("predict", "as it is, and it fails", unrounded(hundred), withOdd(100, exact::outOfMemory(100)),
               {1, 2, 100, 50}, 50);
        addFor("predict", "as it is, up to the maximum", unrounded(within(hundred, 1, 40)), samePeaks,
               {1, 2, 40}, 40);
        addFor("predict", "divisors", divisorsOf384(hundred), holdsHundred, {1, 2, 96}, 96);
        addFor("predict", "from a minimum", within(hundred, 5, 1000), holdsHundred, {5, 6, 64}, 64);
        addFor("predict", "the prediction fails", hundred, withOdd(64, exact::outOfMemory(64)),
               {1, 2, 64, 32}, 32);
        addFor("predict", "the two peaks are equal", within(hundred, 1, 40), samePeaks, {1, 2, 32}, 32);
        addFor("predict", "two do not fit", exact::spaceFor(1),
               exact::deviceWith(exact::spaceFor(1), overhead), {1, 2}, 1);
        addFor("predict", "two are the most", exact::spaceFor(3),
               exact::deviceWith(exact::spaceFor(3), overhead), {1, 2}, 2);
    }
    void triesTheExpectedSizes()
    {
        const auto& [name, space, run, sizes, best] = row<Search>();
        const auto strategy = makeStrategy(name, space);
        QCOMPARE(exact::searchWith(*strategy, run), sizes);
        QCOMPARE(strategy->searchState().status, Status::Exhausted);
        QCOMPARE(strategy->searchState().recommendation->size, best);
        QVERIFY(strategy->searchState().recommendation->confidence <= 99);
    }

    void continuesWhenTheRecommendedSizeFailsLater_data()
    {
        rows<std::string, std::int64_t>({
            {"halving", {"halving", 32}},
            {"predict", {"predict", 32}},
            {"binary", {"binary", 48}},
        });
    }
    void continuesWhenTheRecommendedSizeFailsLater()
    {
        const auto& [name, next] = row<std::string, std::int64_t>();
        const SearchSpace space = within(exact::spaceFor(64), 1, 64);
        const auto strategy = makeStrategy(name, space);
        exact::searchWith(*strategy, exact::deviceWith(space, overhead));
        QCOMPARE(strategy->searchState().recommendation->size, 64);
        strategy->record(exact::outOfMemory(64));
        QCOMPARE(strategy->searchState().status, Status::Searching);
        QCOMPARE(strategy->next({})->size, next);
    }

    void runsOneTrialAtATime_data()
    {
        rows<std::string>({{"halving", "halving"}, {"binary", "binary"}, {"predict", "predict"}});
    }
    void runsOneTrialAtATime()
    {
        SearchSpace space = exact::spaceFor(100);
        space.devices = 8;
        const auto strategy = makeStrategy(row<std::string>(), space);
        const Sizes inFlight{strategy->next({})->size};
        QVERIFY(!strategy->next(inFlight));
        QCOMPARE(strategy->searchState().status, Status::Searching);
    }
};

BATCHPEAK_TEST(LargestFitStrategiesTest)
#include "tst_largest_fit_strategies.moc"
