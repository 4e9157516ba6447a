// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "search/candidate_set.h"
#include "strategy_rows.h"
#include "support/test_main.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;
using Sizes = std::vector<std::int64_t>;
using Status = SearchState::Status;

namespace {

constexpr std::uint64_t seed = 7;
/// No batch: the row maximizes the samples/s of a micro-batch.
constexpr std::int64_t noBatch = 0;
/// Minimum probability of fit of a proposal, except for the size after the very first.
constexpr double minFit = 0.5;
constexpr double minFitOfSecond = 0.1;
const Sizes divisors{1, 2, 3, 4, 6, 8, 12, 24, 48, 96, 192, 384, 768, 1536};

struct World
{
    std::string strategy;
    std::string family;
    Sizes candidates;
    std::int64_t effectiveBatch = noBatch;
};

} // namespace

/// Tests properties of every strategy on every simulated device, whatever the curve and the noise.
class StrategyWorldsTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsItsPropertiesInEveryWorld_data()
    {
        const auto add = rows<World>();
        std::vector<std::string> families = calibrationFamilies();
        std::ranges::copy(heldOutFamilies(), std::back_inserter(families));
        std::ranges::copy(curvedMemoryFamilies(), std::back_inserter(families));
        for (const std::string_view view : strategyNames()) {
            const std::string name(view);
            for (const std::string& family : families)
                add(name + ", " + family, {name, family});
            add(name + ", divisors", {name, "middle saw", divisors});
            add(name + ", few sizes far apart", {name, "smooth", {1, 2, 50000}});
            add(name + ", whole steps", {name, "cliffs", {}, 1000});
            add(name + ", whole steps of divisors", {name, "interior peak", divisors, 1536});
        }
    }
    void keepsItsPropertiesInEveryWorld()
    {
        const auto& [name, family, candidates, effectiveBatch] = row<World>();
        ReplayDevice device(simulatedDevice(family, seed), seed);
        SearchSpace space = device.space();
        space.candidates = candidates;
        space.maxTrials = 14;
        if (effectiveBatch != noBatch) {
            space.objective = Objective::Effective;
            space.perDeviceBatch = effectiveBatch;
        }
        const auto strategy = makeStrategy(name, space);
        const CandidateSet allowed(space);
        std::set<std::int64_t> good;
        std::int64_t smallestFailure = std::numeric_limits<std::int64_t>::max();
        int trials = 0;
        bool isTimed = false;
        std::int64_t verified = 0;
        while (const auto proposal = strategy->next({})) {
            QVERIFY(++trials <= space.maxTrials);
            // Other sizes only measure memory on the way to the next allowed size.
            const bool isProbe = proposal->size > verified && proposal->size < allowed.above(verified);
            QVERIFY(allowed.contains(proposal->size) || (looksForTheFastest(name) && isProbe));
            QVERIFY(proposal->size < smallestFailure);
            const double demanded = good.size() == 1 ? minFitOfSecond : minFit;
            QVERIFY(proposal->predictedFit >= (looksForTheFastest(name) ? demanded : 0.0));
            QVERIFY(proposal->predictedFit <= 1.0);
            QVERIFY(proposal->minSteps >= 3 && proposal->minSteps <= proposal->maxSteps);
            QCOMPARE(proposal->predictedWallSeconds.has_value(), isTimed);
            Measurement trial = device.run(*proposal);
            trial.optimizerSeconds = effectiveBatch != noBatch ? 0.01 : 0.0;
            strategy->record(trial);
            isTimed = isTimed || (trial.outcome == Outcome::Ok && !trial.thrashes);
            if (trial.outcome == Outcome::Ok)
                verified = std::max(verified, trial.size);
            if (trial.outcome == Outcome::Ok && !trial.thrashes)
                good.insert(trial.size);
            else
                smallestFailure = std::min(smallestFailure, trial.size);
            good.erase(good.lower_bound(smallestFailure), good.end());
            const SearchState& searchState = strategy->searchState();
            QVERIFY(searchState.largestPredictedFit < smallestFailure);
            QVERIFY(searchState.expectedTrials >= trials && searchState.expectedTrials <= space.maxTrials);
            QCOMPARE(searchState.recommendation.has_value(), !good.empty());
            if (good.empty())
                continue;
            QVERIFY(good.contains(searchState.recommendation->size));
            QVERIFY(allowed.contains(searchState.recommendation->size));
            QVERIFY(searchState.recommendation->confidence >= 1 &&
                    searchState.recommendation->confidence <= 99);
            QVERIFY(searchState.recommendation->samplesPerSecond > 0.0);
            std::set<double> drawn;
            for (const CurvePoint& point : searchState.curve) {
                QVERIFY(point.low <= point.samplesPerSecond && point.samplesPerSecond <= point.high);
                drawn.insert(point.size);
            }
            for (const std::int64_t size : good)
                QVERIFY(drawn.empty() || !allowed.contains(size) ||
                        drawn.contains(static_cast<double>(size)));
        }
        QVERIFY(trials > 0);
        QVERIFY(strategy->searchState().status != Status::Searching);
    }

    void repeatsTheTraceOfASeed_data() { addStrategies(); }
    void repeatsTheTraceOfASeed()
    {
        std::vector<Sizes> traces;
        std::vector<std::vector<int>> confidences;
        for (int repetition = 0; repetition < 2; ++repetition) {
            ReplayDevice device(simulatedDevice("middle saw", 5), 5);
            const auto strategy = makeStrategy(row<std::string>(), device.space());
            Sizes& trace = traces.emplace_back();
            std::vector<int>& stated = confidences.emplace_back();
            while (const auto proposal = strategy->next({})) {
                trace.push_back(proposal->size);
                strategy->record(device.run(*proposal));
                const auto& recommendation = strategy->searchState().recommendation;
                stated.push_back(recommendation ? recommendation->confidence : 0);
            }
        }
        QCOMPARE(traces.front(), traces.back());
        QCOMPARE(confidences.front(), confidences.back());
    }
};

BATCHPEAK_TEST(StrategyWorldsTest)
#include "tst_strategy_worlds.moc"
