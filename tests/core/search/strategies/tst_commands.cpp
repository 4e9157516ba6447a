// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::search;
using exact::Sizes;
using Status = SearchState::Status;

namespace {

std::unique_ptr<Strategy> searchIn(const SearchSpace& space, std::string_view name = "posterior")
{
    return makeStrategy(name, space);
}

/// Runs at most this number of trials; fewer if the search ends.
Sizes runTrials(Strategy& strategy, const SearchSpace& space, int trials)
{
    const exact::TrialOf run = exact::deviceWith(space, 20.0);
    Sizes sizes;
    for (int trial = 0; trial < trials; ++trial) {
        const auto proposal = strategy.next({});
        if (!proposal)
            break;
        sizes.push_back(proposal->size);
        strategy.record(run(*proposal));
    }
    return sizes;
}

std::int64_t recommendedBy(const Strategy& strategy)
{
    return strategy.searchState().recommendation->size;
}

} // namespace

/// Tests commands of the user to a running search, and which sizes can still win.
class CommandsTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsSizesThatCanStillWin()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        runTrials(*strategy, space, 1);
        QVERIFY(strategy->searchState().contenders.empty());
        runTrials(*strategy, space, 5);
        const SearchState& state = strategy->searchState();
        QVERIFY(!state.contenders.empty());
        QVERIFY(state.contenders.size() <= maxContenders);
        QVERIFY(std::ranges::is_sorted(state.contenders, std::ranges::greater(), &Contender::probability));
        const double named = std::accumulate(
            state.contenders.begin(), state.contenders.end(), 0.0,
            [](double sum, const Contender& contender) { return sum + contender.probability; });
        QVERIFY(named + state.otherContenders <= 1.0 + 1e-9);
        // The time of a step grows less than its number of samples, so that the largest size that fits is the
        // best.
        QVERIFY(named + state.otherContenders > 0.99);
        QVERIFY(state.contenders.front().size > 200);
    }

    void reportsTheWinnerOfMeasuredSizes()
    {
        SearchSpace space = exact::spaceFor(300);
        space.candidates = {1, 2, 250};
        const auto strategy = searchIn(space);
        runTrials(*strategy, space, 20);
        QCOMPARE(strategy->searchState().contenders.front().size, 250);
        QVERIFY(strategy->searchState().contenders.front().probability > 0.9);
        QCOMPARE(strategy->searchState().otherContenders, 0.0);
    }

    void reportsThePurposeOfATrial()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        std::vector<trial::Purpose> purposes;
        const exact::TrialOf run = exact::deviceWith(space, 20.0);
        while (const auto proposal = strategy->next({})) {
            purposes.push_back(proposal->purpose);
            if (proposal->purpose == trial::Purpose::Remeasuring)
                QVERIFY(strategy->searchState().next->against != proposal->size);
            strategy->record(run(*proposal));
            if (const auto& next = strategy->searchState().next)
                QCOMPARE(next->sizes.size(), 1U);
        }
        QVERIFY(purposes.size() > 3);
        QCOMPARE(std::vector(purposes.begin(), purposes.begin() + 3),
                 std::vector<trial::Purpose>(3, trial::Purpose::FirstSizes));
        QCOMPARE(purposes[3], trial::Purpose::Climbing);
        QVERIFY(!strategy->searchState().next);
    }

    void avoidsExcludedSizes_data()
    {
        const auto add = rows<std::string>();
        for (const std::string_view name : strategyNames())
            add(std::string(name), std::string(name));
    }
    void avoidsExcludedSizes()
    {
        const auto& name = row<std::string>();
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space, name);
        QVERIFY(strategy->abilities().excludesSizes);
        runTrials(*strategy, space, 4);
        const std::int64_t best = strategy->searchState().recommendation ? recommendedBy(*strategy) : 0;
        for (const std::int64_t size : {best, std::int64_t{8}})
            strategy->setExcluded(size, true);
        if (best > 0)
            QVERIFY(!strategy->searchState().recommendation || recommendedBy(*strategy) != best);
        const Sizes later = runTrials(*strategy, space, 80);
        QCOMPARE(std::ranges::count(later, best), 0);
        QCOMPARE(std::ranges::count(later, 8), 0);
        QVERIFY(strategy->searchState().recommendation);
        QVERIFY(recommendedBy(*strategy) != best && recommendedBy(*strategy) != 8);
        for (const Contender& contender : strategy->searchState().contenders)
            QVERIFY(contender.size != best && contender.size != 8);
    }

    void revokesAnExclusion()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        const auto untouched = searchIn(space);
        runTrials(*strategy, space, 6);
        runTrials(*untouched, space, 6);
        const std::int64_t best = recommendedBy(*strategy);
        strategy->setExcluded(best, true);
        QCOMPARE(strategy->searchState().excluded, Sizes{best});
        strategy->setExcluded(best, false);
        QVERIFY(strategy->searchState().excluded.empty());
        // The same trials give the same result again.
        QCOMPARE(recommendedBy(*strategy), best);
        QCOMPARE(strategy->searchState().recommendation->confidence,
                 untouched->searchState().recommendation->confidence);
        QCOMPARE(strategy->next({})->size, untouched->next({})->size);
    }

    void keepsAtLeastOneSize()
    {
        SearchSpace space = exact::spaceFor(300);
        space.candidates = {4, 8};
        const auto strategy = searchIn(space);
        strategy->setExcluded(4, true);
        strategy->setExcluded(8, true);
        strategy->setExcluded(5, true);
        QCOMPARE(strategy->searchState().excluded, Sizes{4});
        QCOMPARE(strategy->next({})->size, 8);
    }

    void continuesIfAllSizesThatRanAreExcluded()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        for (const std::int64_t size : runTrials(*strategy, space, 4))
            strategy->setExcluded(size, true);
        QVERIFY(!strategy->searchState().recommendation);
        QCOMPARE(strategy->searchState().status, Status::Searching);
        runTrials(*strategy, space, 80);
        QVERIFY(strategy->searchState().recommendation);
    }

    void triesARequestedSize()
    {
        SearchSpace space = exact::spaceFor(300);
        space.maximum = 1000;
        const auto strategy = searchIn(space);
        runTrials(*strategy, space, 5);
        // The search expects that 700 does not fit; the user may request it anyway.
        const auto proposal = strategy->asked(700);
        QVERIFY(proposal);
        QCOMPARE(proposal->size, 700);
        QCOMPARE(proposal->purpose, trial::Purpose::Asked);
        QCOMPARE(proposal->abandonAboveSeconds, 0.0);
        QVERIFY(proposal->predictedFit < 0.5);
        strategy->record(exact::outOfMemory(700));
        QCOMPARE(strategy->searchState().smallestFailure, 700);
        QVERIFY(!strategy->asked(1001));
        strategy->setExcluded(64, true);
        QVERIFY(!strategy->asked(64));
    }

    void replacesASkippedSize()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        runTrials(*strategy, space, 4);
        const std::int64_t skipped = strategy->next({})->size;
        strategy->skip(Sizes{skipped});
        const Sizes later = runTrials(*strategy, space, 3);
        QVERIFY(!later.empty());
        QCOMPARE(std::ranges::count(later, skipped), 0);
    }

    void triesASkippedSizeIfNoOtherIsLeft()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        const std::int64_t first = strategy->next({})->size;
        strategy->skip(Sizes{first});
        QCOMPARE(strategy->searchState().status, Status::Searching);
        QCOMPARE(strategy->next({})->size, first);
    }

    void appliesAnotherTolerance()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto strategy = searchIn(space);
        runTrials(*strategy, space, 5);
        const int before = strategy->searchState().recommendation->confidence;
        strategy->setTolerance(0.2);
        QVERIFY(strategy->searchState().recommendation->confidence > before);
        strategy->setTolerance(0.001);
        QVERIFY(strategy->searchState().recommendation->confidence < before);
        // Invalid tolerances are ignored.
        const int now = strategy->searchState().recommendation->confidence;
        for (const double invalid : {0.0, -1.0, 1.0, std::numeric_limits<double>::quiet_NaN()})
            strategy->setTolerance(invalid);
        QCOMPARE(strategy->searchState().recommendation->confidence, now);
    }

    void endsAtAnotherTargetConfidence()
    {
        SearchSpace space = exact::spaceFor(300);
        space.targetConfidence = 2.0;
        const auto strategy = searchIn(space);
        runTrials(*strategy, space, 6);
        QCOMPARE(strategy->searchState().status, Status::Searching);
        strategy->setTargetConfidence(0.01);
        QCOMPARE(strategy->searchState().status, Status::Confident);
        strategy->setTargetConfidence(2.0);
        QCOMPARE(strategy->searchState().status, Status::Searching);
        strategy->setMaxTrials(6);
        QCOMPARE(strategy->searchState().status, Status::Budget);
        strategy->setMaxTrials(8);
        QCOMPARE(strategy->searchState().status, Status::Searching);
        QCOMPARE(runTrials(*strategy, space, 20).size(), 2U);
    }

    void isDeterministicForTheSameCommands()
    {
        const SearchSpace space = exact::spaceFor(300);
        const auto run = [&] {
            const auto strategy = searchIn(space);
            Sizes sizes = runTrials(*strategy, space, 4);
            strategy->setExcluded(sizes.back(), true);
            strategy->setTolerance(0.03);
            strategy->skip(Sizes{strategy->next({})->size});
            const Sizes later = runTrials(*strategy, space, 40);
            sizes.insert(sizes.end(), later.begin(), later.end());
            sizes.push_back(strategy->searchState().recommendation->confidence);
            return sizes;
        };
        QCOMPARE(run(), run());
    }
};

BATCHPEAK_TEST(CommandsTest)
#include "tst_commands.moc"
