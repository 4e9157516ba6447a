// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "search/strategies/posterior_strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <functional>

#include <cmath>
#include <string>
#include <vector>

using namespace batchpeak::search;
using exact::Sizes;
using Status = SearchState::Status;

namespace {

struct Probes
{
    SearchSpace space;
    Sizes sizes;
};

/// Returns the trials of a whole search on a device without noise, one hour earlier.
std::vector<Measurement> searched(const SearchSpace& space)
{
    std::vector<Measurement> trials;
    PosteriorStrategy strategy(space);
    const exact::TrialOf run = exact::deviceWith(space, 500.0);
    exact::searchWith(strategy, [&](const Proposal& proposal) {
        trials.push_back(run(proposal));
        return trials.back();
    });
    for (Measurement& trial : trials) {
        trial.clockSeconds -= 3600.0;
        trial.exploration = 1;
    }
    return trials;
}

/// Returns the recommendation of a search after these trials.
Recommendation foundBy(const std::vector<Measurement>& trials, const SearchSpace& space)
{
    PosteriorStrategy strategy(space);
    for (Measurement trial : trials) {
        trial.exploration = 0;
        strategy.record(trial);
    }
    return *strategy.searchState().recommendation;
}

/// Search that recalls a whole earlier search, and the size that the earlier one found.
struct Again
{
    explicit Again(const SearchSpace& space)
        : before(searched(space)), strategy(space), found(foundBy(before, space).size)
    {
        strategy.recall(before);
    }

    std::vector<Measurement> before;
    PosteriorStrategy strategy;
    std::int64_t found = 0;
};

Measurement with(Measurement trial, const std::function<void(Measurement&)>& change)
{
    change(trial);
    return trial;
}

/// New trial of the size found, and whether it contradicts the recalled trials.
struct Check
{
    double overhead = 500.0;
    bool fits = true;
    bool isForgotten = false;
};

/// Divisors of a batch, in memory for \p largestFit samples.
struct Divisors
{
    std::int64_t batch;
    std::int64_t largestFit;
    std::int64_t best;
};

} // namespace

class PosteriorStrategyTest : public QObject
{
    Q_OBJECT

private slots:
    void probesUpwards_data()
    {
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
        rows<Probes>({
            {"all sizes", {exact::spaceFor(1000), {1, 8, 64}}},
            {"from a minimum", {fromFive, {5, 40, 320}}},
            {"a hint", {hinted, {1, 8, 64, 253}}},
            {"a hint below the probes", {hintedLow, {1, 8, 35}}},
            {"a hint beyond memory", {hintedTooHigh, {1, 8, 48}}},
            {"divisors", {divisors, {1, 5, 15}}},
            {"one sample takes a fifth of the memory", {exact::spaceFor(5), {1, 4}}},
        });
    }
    void probesUpwards()
    {
        const auto& [space, sizes] = row<Probes>();
        PosteriorStrategy strategy(space);
        for (const std::int64_t size : sizes) {
            const auto proposal = strategy.next({});
            QVERIFY(proposal);
            QCOMPARE(proposal->size, size);
            strategy.record(exact::trial(size, 500.0));
        }
    }

    void hasLowConfidenceAfterOneSize()
    {
        PosteriorStrategy strategy(exact::spaceFor(300));
        strategy.next({});
        strategy.record(exact::trial(1, 4.0));
        const Recommendation& recommendation = *strategy.searchState().recommendation;
        QCOMPARE(recommendation.confidence, 2);
        QCOMPARE(recommendation.relativePerformance, 1.0);
        QCOMPARE(recommendation.reason.kind, Reason::Kind::TooEarly);
        QCOMPARE(recommendation.reason.next, 8);
    }

    void runsTheFirstSizesTogether()
    {
        SearchSpace space = exact::spaceFor(300);
        space.memoryLimitBytes = 0;
        PosteriorStrategy strategy(space);
        Sizes inFlight;
        for (const std::int64_t size : {1, 8, 64}) {
            const auto proposal = strategy.next(inFlight);
            QVERIFY(proposal);
            QCOMPARE(proposal->size, size);
            inFlight.push_back(size);
        }
        QVERIFY(!strategy.next(inFlight));
        QCOMPARE(strategy.searchState().status, Status::Searching);
    }

    /// Without a measured peak, nothing says that a larger size fits.
    void runsOneProbeAtATimeWhereMemoryMayEnd()
    {
        PosteriorStrategy strategy(exact::spaceFor(300));
        const Sizes first{strategy.next({})->size};
        QVERIFY(!strategy.next(first));
        QCOMPARE(strategy.searchState().status, Status::Searching);
    }

    void checksRecalledTrialsFirst_data()
    {
        rows<Check>({{"as it was", {}},
                     {"a quarter slower", {.overhead = 625.0}},
                     {"another device", {.overhead = 3000.0, .isForgotten = true}},
                     {"another memory", {.fits = false, .isForgotten = true}}});
    }
    void checksRecalledTrialsFirst()
    {
        const auto& [overhead, fits, isForgotten] = row<Check>();
        const SearchSpace space = exact::spaceFor(300);
        const std::vector<Measurement> before = searched(space);
        const Recommendation first = foundBy(before, space);
        const std::int64_t found = first.size;

        PosteriorStrategy strategy(space);
        strategy.recall(before);
        QCOMPARE(strategy.searchState().status, Status::Searching);
        QCOMPARE(strategy.searchState().recalledTrials, static_cast<int>(before.size()));
        QVERIFY2(!strategy.searchState().recommendation, "nothing is sure before a trial of today");
        const auto proposal = strategy.next({});
        QVERIFY(proposal);
        QCOMPARE(proposal->size, found);
        QCOMPARE(proposal->purpose, batchpeak::trial::Purpose::Remeasuring);
        QVERIFY2(!strategy.next(Sizes{found}), "another device waits for it");

        strategy.record(fits ? exact::trial(found, overhead) : exact::outOfMemory(found));
        QCOMPARE(strategy.searchState().recalledTrials, isForgotten ? 0 : static_cast<int>(before.size()));
        if (isForgotten) {
            QCOMPARE(strategy.searchState().status, Status::Searching);
            const auto next = strategy.next({});
            QVERIFY(next);
            // If the size ran, its neighbor may follow, to measure the slope of memory.
            QVERIFY2(fits ? next->size != found : next->size < found,
                     qPrintable(QString::number(next->size)));
            return;
        }
        QCOMPARE(strategy.searchState().status, Status::Confident);
        QCOMPARE(strategy.searchState().expectedTrials, 1);
        const Recommendation& recommendation = *strategy.searchState().recommendation;
        QCOMPARE(recommendation.size, found);
        const double performance = first.relativePerformance;
        QVERIFY(std::abs(recommendation.relativePerformance / performance - 1.0) < 0.05);
        // The reported speed is today's, not yesterday's.
        const double seconds = exact::trial(found, overhead).secondsPerStep;
        QVERIFY(std::abs(recommendation.samplesPerSecond * seconds / static_cast<double>(found) - 1.0) <
                0.02);
    }

    // Yesterday's fastest size may not be the fastest today; the sizes that ran today are known.
    void recommendsOnlySizesThatRanToday()
    {
        Again again(exact::spaceFor(300));
        const std::int64_t other = again.found / 2;
        QVERIFY(again.strategy.asked(other));
        again.strategy.record(exact::trial(other, 500.0));
        QVERIFY(again.strategy.searchState().recommendation);
        QCOMPARE(again.strategy.searchState().recommendation->size, other);
        QCOMPARE(again.strategy.searchState().status, Status::Searching);
        QVERIFY(again.strategy.searchState().recommendation->confidence < 50);
    }

    void forgetsRecalledTrialsAfterTwoCrashes()
    {
        Again again(exact::spaceFor(300));
        Measurement crashed{.size = again.found, .outcome = batchpeak::trial::Outcome::Crashed};
        again.strategy.record(crashed);
        QVERIFY(again.strategy.searchState().recalledTrials > 0);
        again.strategy.record(crashed);
        QCOMPARE(again.strategy.searchState().recalledTrials, 0);
        QVERIFY(!again.strategy.searchState().recommendation);
        QCOMPARE(again.strategy.searchState().status, Status::Searching);
        QVERIFY(again.strategy.next({})->size != again.found);
    }

    void isNotConfidentAfterOnlyADisturbedTrial()
    {
        Again again(exact::spaceFor(300));
        const auto disturb = [](Measurement& trial) { trial.disturbed = true; };
        again.strategy.record(with(exact::trial(again.found, 500.0), disturb));
        QCOMPARE(again.strategy.searchState().status, Status::Searching);
        again.strategy.record(exact::trial(again.found, 500.0));
        QCOMPARE(again.strategy.searchState().status, Status::Confident);
    }

    void comparesOnlySizesThatRanToday()
    {
        Again again(exact::spaceFor(300));
        std::vector<std::int64_t> ofToday;
        for (int trial = 0; trial < 8; ++trial) {
            const auto proposal = again.strategy.next({});
            if (!proposal)
                break;
            for (const std::int64_t size : proposal->comparedSizes)
                QVERIFY(std::ranges::find(ofToday, size) != ofToday.end());
            ofToday.push_back(proposal->size);
            // Alternates between two speeds, so that the search continues.
            again.strategy.record(exact::trial(proposal->size, trial % 2 == 0 ? 500.0 : 560.0));
        }
    }

    void distinguishesDays()
    {
        // On each of many days, only the size found was tried, with speeds that differ by 15 % between days.
        const SearchSpace space = exact::spaceFor(300);
        std::vector<Measurement> before = searched(space);
        const std::int64_t found = foundBy(before, space).size;
        for (int day = 2; day <= 12; ++day) {
            before.push_back(with(exact::trial(found, 500.0), [&](Measurement& trial) {
                trial.exploration = day;
                trial.clockSeconds -= 3000.0 - 10.0 * day;
                const double factor = day % 3 == 0 ? 1.0 : 1.15;
                trial.secondsPerStep *= factor;
                for (double& seconds : trial.stepSeconds)
                    seconds *= factor;
            }));
        }
        PosteriorStrategy strategy(space);
        strategy.recall(before);
        strategy.record(exact::trial(found, 500.0));
        QCOMPARE(strategy.searchState().status, Status::Confident);
        QCOMPARE(strategy.searchState().recommendation->size, found);
    }

    /// Table and chart show one estimate per size, also for sizes that ran only on another day.
    void estimatesRecalledSizes()
    {
        const SearchSpace space = exact::spaceFor(300);
        const std::vector<Measurement> before = searched(space);
        const std::int64_t found = foundBy(before, space).size;
        PosteriorStrategy strategy(space);
        strategy.recall(before);
        strategy.record(exact::trial(found, 500.0));
        const SearchState state = strategy.searchState();
        QVERIFY(state.recalledTrials > 0);
        for (const Measurement& trial : before) {
            if (trial.ran() && trial.compared.empty())
                QVERIFY2(state.estimateOf(trial.size), qPrintable(QString::number(trial.size)));
        }
        QCOMPARE(state.recommendation->size, found);
    }

    void recallsNothingAfterItsFirstTrial()
    {
        const SearchSpace space = exact::spaceFor(300);
        PosteriorStrategy strategy(space);
        strategy.record(exact::trial(1, 500.0));
        strategy.recall(searched(space));
        QCOMPARE(strategy.searchState().recalledTrials, 0);
    }

    void findsTheLargestDivisorThatFits_data()
    {
        const auto add = rows<Divisors>();
        for (const Divisors& d : std::vector<Divisors>{{96, 49, 48},
                                                       {96, 46, 32},
                                                       {240, 62, 60},
                                                       {240, 58, 48},
                                                       {250, 11, 10},
                                                       {768, 197, 192},
                                                       {768, 186, 128},
                                                       {1024, 262, 256},
                                                       {1024, 248, 128},
                                                       {1000, 205, 200},
                                                       {127, 126, 1},
                                                       {250, 51, 50},
                                                       {500, 251, 250},
                                                       {768, 193, 192},
                                                       {1000, 202, 200},
                                                       {1024, 257, 256},
                                                       {1024, 259, 256}})
            add(std::to_string(d.batch) + " in memory for " + std::to_string(d.largestFit), d);
    }
    void findsTheLargestDivisorThatFits()
    {
        // The limit is so close to a divisor that small sizes do not show on which side it lies.
        const auto& [batch, largestFit, best] = row<Divisors>();
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
            failures += trial.doesNotFit() ? 1 : 0;
            return trial;
        });
        QCOMPARE(strategy.searchState().recommendation->size, best);
        QVERIFY(failures <= 1);
        QVERIFY(sizes.size() < static_cast<std::size_t>(space.maxTrials));
    }
};

BATCHPEAK_TEST(PosteriorStrategyTest)
#include "tst_posterior_strategy.moc"
