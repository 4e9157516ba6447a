// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exact_device.h"
#include "strategy_rows.h"
#include "support/test_main.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;
using exact::Sizes;
using exact::TrialOf;
using Status = SearchState::Status;

namespace {

struct Ended
{
    std::string strategy;
    SearchSpace space;
    TrialOf run;
    Status status;
    bool hasRecommendation;
};

} // namespace

/// Tests the common behavior of all strategies on devices whose answer is known.
class StrategiesTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithEveryStatus_data()
    {
        SearchSpace plain = exact::spaceFor(300);
        plain.targetConfidence = 0.9;
        SearchSpace few = exact::spaceFor(1000);
        few.maxTrials = 3;
        SearchSpace two = exact::spaceFor(1000);
        two.maximum = 2;
        two.targetConfidence = 1.0;
        const TrialOf runs = exact::deviceWith(plain, 8.0);
        const TrialOf neverFits = [](const Proposal& p) { return exact::outOfMemory(p.size); };
        const TrialOf needsTooMuch = [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 4.0);
            trial.peakReservedBytes *= 100;
            return trial;
        };
        const TrialOf thrashes = [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 4.0);
            trial.thrashes = true;
            return trial;
        };
        const TrialOf measuresNothing = [](const Proposal& p) { return Measurement{.size = p.size}; };
        const auto timedAs = [](double seconds) {
            return TrialOf([seconds](const Proposal& p) {
                Measurement trial = exact::trial(p.size, 4.0);
                trial.secondsPerStep = seconds;
                return trial;
            });
        };
        const auto add = rows<Ended>();
        for (const std::string_view view : strategyNames()) {
            const std::string name(view);
            const auto addFor = [&](const std::string& what, const SearchSpace& space, const TrialOf& run,
                                    Status status, bool hasRecommendation) {
                add(name + ": " + what, {name, space, run, status, hasRecommendation});
            };
            const bool isConfident = looksForTheFastest(name);
            // The calibration decides whether a ramp is confident before it has no steps left.
            if (name != "ramp")
                addFor("a smooth curve", plain, runs, isConfident ? Status::Confident : Status::Exhausted,
                       true);
            // After three sizes that do not fit, there is nothing to recommend.
            addFor("few trials", few, runs, Status::Budget, name != "halving");
            addFor("two sizes", two, runs, Status::Exhausted, true);
            addFor("nothing fits", plain, neverFits, Status::NothingFits, false);
            addFor("one needs more than the limit", plain, needsTooMuch, Status::NothingFits, false);
            addFor("one thrashes", plain, thrashes, Status::NothingFits, false);
            addFor("nothing can be told", plain, measuresNothing, Status::Exhausted, false);
            addFor("a time that is no number", plain, timedAs(std::numeric_limits<double>::quiet_NaN()),
                   Status::Exhausted, false);
            addFor("a negative time", plain, timedAs(-0.1), Status::Exhausted, false);
            addFor("an endless time", plain, timedAs(std::numeric_limits<double>::infinity()),
                   Status::Exhausted, false);
        }
    }
    void endsWithEveryStatus()
    {
        const auto& [name, space, run, status, hasRecommendation] = row<Ended>();
        const auto strategy = makeStrategy(name, space);
        QCOMPARE(strategy->searchState().status, Status::Searching);
        const Sizes sizes = exact::searchWith(*strategy, run);
        QVERIFY(!sizes.empty());
        QVERIFY(sizes.size() <= static_cast<std::size_t>(space.maxTrials));
        QCOMPARE(strategy->searchState().status, status);
        QCOMPARE(strategy->searchState().recommendation.has_value(), hasRecommendation);
    }

    void doesNotExceedAFailedSize_data() { addStrategies(); }
    void doesNotExceedAFailedSize()
    {
        const auto strategy = makeStrategy(row<std::string>(), exact::spaceFor(100000));
        const Sizes sizes = exact::searchWith(*strategy, [](const Proposal& p) {
            return p.size >= 40 ? exact::outOfMemory(p.size) : exact::trial(p.size, 500.0);
        });
        Sizes failures;
        std::ranges::copy_if(sizes, std::back_inserter(failures),
                             [](std::int64_t size) { return size >= 40; });
        QVERIFY(!failures.empty());
        // A failed size far below the predicted limit is tried again, and then a larger one decides.
        const bool isInDoubt = failures.size() > 1 && failures[1] == failures[0];
        const auto firstBelieved = failures.begin() + (isInDoubt ? 3 : 1);
        QVERIFY(std::all_of(firstBelieved, failures.end(),
                            [&](std::int64_t size) { return size < failures.front(); }));
        QVERIFY(std::is_sorted(firstBelieved, failures.end(), std::greater_equal()));
        QVERIFY(strategy->searchState().recommendation->size < 40);
        QVERIFY(strategy->searchState().smallestFailure >= 40);
    }

    void continuesBelowThrashingSizes_data() { addStrategies(); }
    void continuesBelowThrashingSizes()
    {
        const std::string& name = row<std::string>();
        const auto strategy = makeStrategy(name, exact::spaceFor(1000));
        exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 2000.0);
            trial.thrashes = p.size >= 90;
            return p.size > 1000 ? exact::outOfMemory(p.size) : trial;
        });
        const std::int64_t best = strategy->searchState().recommendation->size;
        QVERIFY2(best >= (looksForTheFastest(name) ? 85 : 64) && best < 90,
                 QByteArray::number(static_cast<qint64>(best)).constData());
    }

    void findsTheLimitOfALargeNetwork_data()
    {
        const auto add = rows<std::string, Sizes>();
        for (const std::string_view view : strategyNames()) {
            const std::string name(view);
            add(name, {name, Sizes()});
            add(name + ", divisors", {name, Sizes{1, 2, 4, 8, 16, 32}});
        }
    }
    void findsTheLimitOfALargeNetwork()
    {
        // A worker need not report the memory that it held before the first pass.
        const auto& [name, candidates] = row<std::string, Sizes>();
        SearchSpace space = exact::spaceFor(4);
        space.memoryLimitBytes += std::int64_t{25} << 20;
        space.baselineBytes = 0;
        space.candidates = candidates;
        const auto strategy = makeStrategy(name, space);
        exact::searchWith(*strategy, exact::deviceWith(space, 500.0));
        QCOMPARE(strategy->searchState().recommendation->size, 4);
    }

    void reportsWhetherItCanContinue_data()
    {
        const auto add = rows<std::string, int, std::int64_t>();
        for (const std::string_view strategy : strategyNames()) {
            const std::string name(strategy);
            add(name + ", by the budget", {name, 2, 1000});
            add(name + ", by itself", {name, 40, 1000});
            add(name + ", few sizes", {name, 40, 2});
            add(name + ", one size", {name, 40, 1});
        }
    }
    void reportsWhetherItCanContinue()
    {
        const auto& [name, trials, maximum] = row<std::string, int, std::int64_t>();
        SearchSpace space = exact::spaceFor(1000);
        space.maxTrials = trials;
        space.maximum = maximum;
        const auto strategy = makeStrategy(name, space);
        exact::searchWith(*strategy, exact::deviceWith(space, 8.0));
        const Status status = strategy->searchState().status;
        QVERIFY(status != Status::Searching);
        const bool canContinue = strategy->canContinue();
        QCOMPARE(strategy->searchState().status, status);
        QVERIFY(!strategy->next({}));
        strategy->continueSearch(trials + 5);
        QCOMPARE(strategy->next({}).has_value(), canContinue);
    }

    void repeatsAVoidTrialOnce_data() { addStrategies(); }
    void repeatsAVoidTrialOnce()
    {
        const SearchSpace space = exact::spaceFor(300);
        const TrialOf runs = exact::deviceWith(space, 4.0);
        const auto strategy = makeStrategy(row<std::string>(), space);
        int trials = 0;
        std::int64_t lost = 0;
        const Sizes sizes = exact::searchWith(*strategy, [&](const Proposal& p) {
            if (++trials == 2)
                lost = p.size;
            return p.size == lost ? Measurement{.size = p.size} : runs(p);
        });
        QCOMPARE(std::ranges::count(sizes, lost), 2);
        QVERIFY(strategy->searchState().status != Status::Searching);
        QVERIFY(strategy->searchState().recommendation);
    }

    // For example, a normalization over the samples of a micro-batch refuses one sample, or a network refuses
    // an odd number.
    void toleratesFailuresOfTheSmallestSizes_data()
    {
        const auto add = rows<std::string, Outcome, std::int64_t, bool>();
        for (const std::string_view view : strategyNames()) {
            const std::string name(view);
            for (const Outcome outcome : {Outcome::Failed, Outcome::Unsupported}) {
                const std::string what = name + ", " + std::string(toText(outcome));
                add(what + ": one", {name, outcome, 1, true});
                add(what + ": up to three", {name, outcome, 3, true});
                add(what + ": more", {name, outcome, 7, name == "halving"});
            }
        }
    }
    void toleratesFailuresOfTheSmallestSizes()
    {
        const auto& [name, outcome, refused, isFound] = row<std::string, Outcome, std::int64_t, bool>();
        const SearchSpace space = exact::spaceFor(300);
        const TrialOf runs = exact::deviceWith(space, 8.0);
        const auto strategy = makeStrategy(name, space);
        const Sizes sizes = exact::searchWith(*strategy, [&](const Proposal& p) {
            return p.size <= refused ? Measurement{.size = p.size, .outcome = outcome} : runs(p);
        });
        QVERIFY(strategy->searchState().status != Status::Searching);
        QCOMPARE(strategy->searchState().recommendation.has_value(), isFound);
        if (isFound)
            QVERIFY(strategy->searchState().recommendation->size > refused);
        for (const std::int64_t size : sizes)
            QVERIFY(size > refused || std::ranges::count(sizes, size) <= 2);
    }

    void countsTheOptimizerInEffectiveSpeed_data() { addStrategies(); }
    void countsTheOptimizerInEffectiveSpeed()
    {
        // With the optimizer, fewer and larger micro-batches win, unless a size leaves a small remainder.
        SearchSpace space = exact::spaceFor(1000);
        space.maximum = 16;
        space.objective = Objective::Effective;
        space.perDeviceBatch = 16;
        const auto strategy = makeStrategy(row<std::string>(), space);
        exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 3.0);
            trial.optimizerSeconds = 0.020;
            return trial;
        });
        const Recommendation& recommendation = *strategy->searchState().recommendation;
        QCOMPARE(recommendation.size, 16);
        QVERIFY(std::abs(recommendation.samplesPerSecond / (16.0 / 0.039) - 1.0) < 0.02);
    }

    void handlesEqualTimes_data() { addStrategies(); }
    void handlesEqualTimes()
    {
        const auto strategy = makeStrategy(row<std::string>(), exact::spaceFor(64));
        exact::searchWith(*strategy, [](const Proposal& p) {
            Measurement trial = exact::trial(p.size, 0.0);
            trial.secondsPerStep = 0.1;
            trial.stepSeconds.assign(5, 0.1);
            return p.size > 64 ? exact::outOfMemory(p.size) : trial;
        });
        QVERIFY(strategy->searchState().recommendation->size >= 60);
    }
};

BATCHPEAK_TEST(StrategiesTest)
#include "tst_strategies.moc"
