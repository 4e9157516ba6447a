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
#include <string>

using namespace batchpeak::search;

namespace {

/// Level from 16 samples on.
double levelSeconds(std::int64_t size)
{
    return 0.001 * std::max(16.0, static_cast<double>(size));
}

/// A trial beside a program that takes so much of the processors, which lengthens its steps by a power of
/// what is left.
Measurement beside(TrialSeries& trials, std::int64_t size, double contention, double exponent)
{
    Measurement trial = trials.trial(size, levelSeconds(size) * std::pow(1.0 - contention, -exponent));
    trial.contention = contention;
    trial.disturbed = contention > 0.1;
    return trial;
}

struct Search
{
    SearchState state;
    std::vector<Measurement> trials;
    double seconds = 0.0;
};

Search searchOn(const std::string& world, std::uint64_t seed)
{
    ReplayDevice device(deviceOf("level", seed, world), seed);
    PosteriorStrategy strategy(device.space());
    Search search;
    while (const auto proposal = strategy.next({})) {
        search.trials.push_back(device.run(*proposal));
        strategy.record(search.trials.back());
    }
    search.state = strategy.searchState();
    search.seconds = device.clockSeconds();
    return search;
}

} // namespace

/// Other programs beside trials are explained, not doubted; and where nothing speaks for larger sizes, their
/// trials are not worth the minutes that they take.
class ContentionTest : public QObject
{
    Q_OBJECT

private slots:
    /// Half of the trials of each size are beside a program: sizes of equal speed stay equal, whatever the
    /// program takes.
    void explainsWhatOthersTake_data()
    {
        rows<double, double>({
            {"nothing", {0.0, 1.0}},
            {"a fifth, in proportion", {0.2, 1.0}},
            {"half, in proportion", {0.5, 1.0}},
            {"half, and threads wait for each other", {0.5, 1.8}},
        });
    }
    void explainsWhatOthersTake()
    {
        const auto& [contention, exponent] = row<double, double>();
        TrialSeries trials;
        const std::int64_t sizes[] = {1, 16, 64, 256};
        for (int round = 0; round < 4; ++round) {
            // 64 meets the program in three of four rounds, 256 in one.
            for (const std::int64_t size : sizes) {
                const bool isBeside = size == 64 ? round != 0 : size == 256 ? round == 0 : round % 2 == 0;
                trials.record(beside(trials, size, isBeside ? contention : 0.0, exponent));
            }
        }
        const PosteriorSummary summary = trials.summary();
        const double lead = summary.find(256)->samplesPerSecond / summary.find(64)->samplesPerSecond;
        QVERIFY2(std::abs(lead - 1.0) < 0.03, qPrintable(QString::number(lead)));
    }

    /// The speed that is told is that of the trials, not of a computer that nobody else uses.
    void tellsTheSpeedThatTrialsHad()
    {
        TrialSeries trials;
        for (int round = 0; round < 3; ++round) {
            for (const std::int64_t size : {1, 16, 64, 256})
                trials.record(beside(trials, size, 0.5, 1.4));
        }
        const PosteriorSummary summary = trials.summary();
        const SizeEstimate& estimate = *summary.find(64);
        const double measured = 1000.0 * std::pow(0.5, 1.4);
        QVERIFY2(std::abs(estimate.samplesPerSecond / measured - 1.0) < 0.02,
                 qPrintable(QString::number(estimate.samplesPerSecond)));
        // The line that is drawn goes through it.
        const auto point = std::ranges::find(summary.curve, 64.0, &CurvePoint::size);
        QVERIFY(point != summary.curve.end());
        QVERIFY(std::abs(point->samplesPerSecond / estimate.samplesPerSecond - 1.0) < 0.01);
    }

    void tellsOneEstimate()
    {
        for (const Search& search : {searchOn("", 5), searchOn("crowded", 5)}) {
            const Recommendation& best = *search.state.recommendation;
            const auto of = [&](std::int64_t size) {
                const SizeEstimate* estimate = search.state.estimateOf(size);
                return estimate ? *estimate : SizeEstimate{};
            };
            QCOMPARE(of(best.size).samplesPerSecond, best.samplesPerSecond);
            QCOMPARE(of(best.size).relativeError, best.relativeError);
            QCOMPARE(qRound(100.0 * of(best.size).probabilityWithin), best.confidence);
            QCOMPARE(1.0 + best.reason.leadOverRunnerUp,
                     best.samplesPerSecond / of(best.reason.runnerUp).samplesPerSecond);
            // The first size that is recommended is the one that ran first.
            QCOMPARE(best.relativePerformance, best.samplesPerSecond / of(1).samplesPerSecond);
        }
    }

    /// No trial far above the leading size takes a quarter of the time that the search takes, where the curve
    /// is level.
    void spendsLittleOnLargeSizes_data()
    {
        rows<std::string>(
            {{"calm", {""}}, {"beside another program", {"beside"}}, {"always beside one", {"crowded"}}});
    }
    void spendsLittleOnLargeSizes()
    {
        const auto world = row<std::string>();
        const Search search = searchOn(world, 11);
        for (const Measurement& trial : search.trials) {
            if (trial.size > 8 * search.state.recommendation->size)
                QVERIFY2(trial.wallSeconds < 0.25 * search.seconds, qPrintable(QString::number(trial.size)));
        }
    }

    void isSureOfTheOnlySize()
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
