// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "search/strategies/posterior_strategy.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "trial_series.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace batchpeak::search;

namespace {

constexpr std::uint64_t seeds[] = {1, 2, 3};

/// Returns times with a constant speed from 16 samples on.
double levelSeconds(std::int64_t size)
{
    return 0.001 * std::max(16.0, static_cast<double>(size));
}

/// Returns a trial next to a program that takes the share \p contention of the CPUs. Its steps take longer by
/// a power of the remaining share.
Measurement nextToOthers(TrialSeries& trials, std::int64_t size, double contention, double exponent)
{
    Measurement trial = trials.trial(size, levelSeconds(size) * std::pow(1.0 - contention, -exponent));
    trial.contention = contention;
    trial.disturbed = contention > 0.1;
    return trial;
}

/// Trial on a computer with two CPUs, next to builds of other programs (gpt2-tiny.yaml).
struct Seen
{
    std::int64_t size = 0;
    double samplesPerSecond = 0.0;
    double contention = 0.0;
    bool isRecalled = false;
};

Measurement trialOf(TrialSeries& trials, const Seen& seen)
{
    Measurement trial = trials.trial(seen.size, static_cast<double>(seen.size) / seen.samplesPerSecond);
    trial.contention = seen.contention;
    trial.disturbed = seen.contention > 0.1;
    trial.exploration = seen.isRecalled ? 1 : 0;
    return trial;
}

struct SeenCase
{
    std::vector<Seen> trials;
    std::int64_t size = 0;
    /// Bounds of the reported speed of the size.
    double min = 0.0;
    double max = 0.0;
};

struct Search
{
    /// States after each trial.
    std::vector<SearchState> states;
    std::vector<Measurement> trials;
    double seconds = 0.0;
};

/// Returns a search on a level curve, which the first call computes.
const Search& searchOn(const std::string& world, std::uint64_t seed)
{
    static std::map<std::pair<std::string, std::uint64_t>, Search> searches;
    const auto [found, isNew] = searches.try_emplace({world, seed});
    Search& search = found->second;
    if (!isNew)
        return search;
    ReplayDevice device(deviceOf("level", seed, world), seed);
    PosteriorStrategy strategy(device.space());
    while (const auto proposal = strategy.next({})) {
        search.trials.push_back(device.run(*proposal));
        strategy.record(search.trials.back());
        search.states.push_back(strategy.searchState());
    }
    search.seconds = device.clockSeconds();
    return search;
}

} // namespace

/// Tests that the effect of other programs on trials is explained instead of treated as doubt, and that
/// trials of larger sizes are not run if nothing suggests that they are worth their minutes.
class ContentionTest : public QObject
{
    Q_OBJECT

private slots:
    /// Some trials of each size run next to a program. Sizes of equal speed stay equal, whatever share the
    /// program takes.
    void explainsTheEffectOfOtherPrograms_data()
    {
        rows<double, double>({
            {"nothing", {0.0, 1.0}},
            {"a fifth, in proportion", {0.2, 1.0}},
            {"half, in proportion", {0.5, 1.0}},
            {"half, and threads wait for each other", {0.5, 1.8}},
        });
    }
    void explainsTheEffectOfOtherPrograms()
    {
        const auto& [contention, exponent] = row<double, double>();
        TrialSeries trials;
        const std::int64_t sizes[] = {1, 16, 64, 256};
        for (int round = 0; round < 4; ++round) {
            // The program runs next to 64 in three of four rounds, and next to 256 in one.
            for (const std::int64_t size : sizes) {
                const bool isBeside = size == 64 ? round != 0 : size == 256 ? round == 0 : round % 2 == 0;
                trials.record(nextToOthers(trials, size, isBeside ? contention : 0.0, exponent));
            }
        }
        const PosteriorSummary summary = trials.summary();
        const double lead = summary.find(256)->samplesPerSecond / summary.find(64)->samplesPerSecond;
        QVERIFY2(std::abs(lead - 1.0) < 0.03, qPrintable(QString::number(lead)));
    }

    /// The reported speed is that of the trials, not that of an otherwise idle computer.
    void reportsTheSpeedOfTheTrials()
    {
        TrialSeries trials;
        for (int round = 0; round < 3; ++round) {
            for (const std::int64_t size : {1, 16, 64, 256})
                trials.record(nextToOthers(trials, size, 0.5, 1.4));
        }
        const PosteriorSummary summary = trials.summary();
        const SizeEstimate& estimate = *summary.find(64);
        const double measured = 1000.0 * std::pow(0.5, 1.4);
        QVERIFY2(std::abs(estimate.samplesPerSecond / measured - 1.0) < 0.02,
                 qPrintable(QString::number(estimate.samplesPerSecond)));
        // The drawn curve passes through the estimate.
        const auto point = std::ranges::find(summary.curve, 64.0, &CurvePoint::size);
        QVERIFY(point != summary.curve.end());
        QVERIFY(std::abs(point->samplesPerSecond / estimate.samplesPerSecond - 1.0) < 0.01);
    }

    /// A search with little expected loss ends after 24 trials, or after 20 next to other programs. Once the
    /// loss is little, the forecast contains no more trials than that.
    void forecastsNoTrialsBeyondItsRules_data()
    {
        rows<Text, int>({{"alone", {"", 24}}, {"beside others", {"crowded", 20}}});
    }
    void forecastsNoTrialsBeyondItsRules()
    {
        const auto& [world, last] = row<Text, int>();
        constexpr double littleLoss = 0.4 * 0.02;
        int judged = 0;
        for (const std::uint64_t seed : seeds) {
            const Search& search = searchOn(world.toStdString(), seed);
            for (std::size_t trial = 0; trial + 1 < search.states.size(); ++trial) {
                const SearchState& state = search.states[trial];
                const bool isLittle = state.recommendation && state.recommendation->expectedLoss < littleLoss;
                if (!isLittle || !state.forecast)
                    continue;
                ++judged;
                const int left = std::max(last - static_cast<int>(trial) - 1, 1);
                QVERIFY(state.forecast->trials.likely <= left);
                QVERIFY(state.forecast->trials.high <= 2 * left);
            }
        }
        QVERIFY(judged > 0);
    }

    void reportsOneEstimatePerSize()
    {
        for (const std::string world : {"", "crowded"}) {
            const SearchState& state = searchOn(world, seeds[0]).states.back();
            const Recommendation& best = *state.recommendation;
            const auto of = [&](std::int64_t size) {
                const SizeEstimate* estimate = state.estimateOf(size);
                return estimate ? *estimate : SizeEstimate{};
            };
            QCOMPARE(of(best.size).samplesPerSecond, best.samplesPerSecond);
            QCOMPARE(of(best.size).relativeError, best.relativeError);
            QCOMPARE(qRound(100.0 * of(best.size).probabilityWithin), best.confidence);
            QVERIFY(std::ranges::all_of(state.estimates, [](const SizeEstimate& estimate) {
                return estimate.probabilityWithin <= maxConfidence;
            }));
            QCOMPARE(1.0 + best.reason.leadOverRunnerUp,
                     best.samplesPerSecond / of(best.reason.runnerUp).samplesPerSecond);
            // The first recommended size is the one that ran first.
            QCOMPARE(best.relativePerformance, best.samplesPerSecond / of(1).samplesPerSecond);
        }
    }

    /// Samples/s do not rise where they are saturated, so that the search reports at most one of saturation
    /// and climbing; neither if a far larger size is probably faster.
    void doesNotContradictItselfAboutLargerSizes_data() { spendsLittleOnLargeSizes_data(); }
    void doesNotContradictItselfAboutLargerSizes()
    {
        const auto world = row<std::string>();
        int saturated = 0;
        int climbing = 0;
        for (const std::uint64_t seed : seeds) {
            for (const SearchState& state : searchOn(world, seed).states) {
                const bool isSaturated = state.speedLimit.kind == SpeedLimit::Kind::Saturated;
                const bool isClimbing = state.recommendation->reason.kind == Reason::Kind::Climbing;
                QVERIFY(!isSaturated || !isClimbing);
                QVERIFY(!isSaturated || !state.next ||
                        state.next->purpose != batchpeak::trial::Purpose::Climbing);
                saturated += isSaturated ? 1 : 0;
                climbing += isClimbing ? 1 : 0;
            }
        }
        QVERIFY(saturated > 0 && climbing > 0);
    }

    /// On a level curve, each trial far above the leading size takes less than a quarter of the search's
    /// time, and all of them together less than half.
    void spendsLittleOnLargeSizes_data()
    {
        rows<std::string>(
            {{"calm", {""}}, {"beside another program", {"beside"}}, {"always beside one", {"crowded"}}});
    }
    void spendsLittleOnLargeSizes()
    {
        const auto world = row<std::string>();
        double spent = 0.0;
        double seconds = 0.0;
        for (const std::uint64_t seed : seeds) {
            const Search& search = searchOn(world, seed);
            const std::int64_t best = search.states.back().recommendation->size;
            for (const Measurement& trial : search.trials) {
                spent += trial.size > 4 * best ? trial.wallSeconds : 0.0;
                if (trial.size > 8 * best)
                    QVERIFY2(trial.wallSeconds < 0.25 * search.seconds,
                             qPrintable(QString::number(trial.size)));
            }
            seconds += search.seconds;
        }
        QVERIFY(spent > 0.0);
        QVERIFY2(spent < 0.5 * seconds, qPrintable(QString::number(spent / seconds)));
    }

    /// The estimate of a size agrees with its trials, however busy the computer was.
    void agreesWithTheTrials_data()
    {
        const std::vector<Seen> recalled{
            {1, 2.0, 0.50, true}, {8, 68.3, 0.51, true}, {64, 41.7, 0.63, true}, {128, 36.0, 0.70, true}};
        const std::vector<Seen> held{{1, 1.1, 0.5}, {1, 42.0, 0.5}, {1, 41.0, 0.55}, {1, 37.6, 0.5}};
        std::vector<Seen> thenAlone{{1, 1.1, 0.5, true},
                                    {1, 42.0, 0.5, true},
                                    {1, 41.0, 0.55, true},
                                    {1, 37.6, 0.5, true},
                                    {1, 74.3, 0.0}};
        const std::vector<Seen> varied{{1, 48.6, 0.5},  {8, 50.1, 0.55}, {32, 21.7, 0.8}, {64, 34.9, 0.7},
                                       {12, 40.5, 0.7}, {7, 66.5, 0.6},  {88, 22.6, 0.8}, {17, 52.7, 0.65}};
        rows<SeenCase>(
            {{"recalled trials alone", {.trials = recalled, .size = 128, .min = 30.0, .max = 65.0}},
             {"a trial held up by threads that spin", {held, 1, 30.0, 45.0}},
             {"alone after a day beside others", {thenAlone, 1, 60.0, 80.0}},
             {"the smaller beside builds", {varied, 7, 33.0, 70.0}},
             {"the larger beside builds", {varied, 64, 25.0, 50.0}}});
    }
    void agreesWithTheTrials()
    {
        const auto seen = row<SeenCase>();
        TrialSeries trials;
        for (const Seen& trial : seen.trials)
            trials.record(trialOf(trials, trial));
        const PosteriorSummary summary = trials.summary();
        const double told = summary.find(seen.size)->samplesPerSecond;
        QVERIFY2(told > seen.min && told < seen.max, qPrintable(QString::number(told)));
    }

    void isCertainOfTheOnlySize()
    {
        TrialSeries trials;
        trials.record(trials.trial(1, 0.1));
        Measurement tooLarge{.size = 2, .outcome = batchpeak::trial::Outcome::OutOfMemory};
        trials.record(tooLarge);
        QCOMPARE(trials.summary().probability, 1.0);
    }
};

BATCHPEAK_TEST(ContentionTest)
#include "tst_contention.moc"
