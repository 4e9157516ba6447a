// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "search/strategies/posterior_strategy.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using Status = SearchState::Status;

namespace {

constexpr std::uint64_t seed = 4;

/// Returns the final state of a search on a device with this step noise.
SearchState endOn(double stepNoise, int maxTrials)
{
    ReplayDevice::Truth truth = simulatedDevice("smooth", seed);
    truth.stepNoise = stepNoise;
    truth.runNoise = 0.002;
    truth.drift = 0.0;
    ReplayDevice device(truth, seed);
    SearchSpace space = device.space();
    space.maxTrials = maxTrials;
    PosteriorStrategy strategy(space);
    while (const auto proposal = strategy.next({}))
        strategy.record(device.run(*proposal));
    return strategy.searchState();
}

} // namespace

class ContinuationEstimateTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsThePossibleGain()
    {
        const SearchState end = endOn(0.1, 10);
        QCOMPARE(end.status, Status::Budget);
        QVERIFY(end.continuation && end.recommendation);
        QCOMPARE(end.continuation->size, end.recommendation->size);
        QVERIFY(end.continuation->rival > 0 && end.continuation->rival != end.continuation->size);
        QCOMPARE(end.continuation->gain, end.recommendation->expectedLoss);
        // With less than 95 % confidence of being within the tolerance, a larger gain than the tolerance is
        // possible.
        QVERIFY(end.recommendation->confidence < 95);
        QVERIFY(end.continuation->maxGain > 0.02 && end.continuation->maxGain < 0.5);
        QVERIFY(end.continuation->seconds > 0.0);
    }

    /// The time grows with the variance, which must be averaged out.
    void needsMoreTimeForMoreNoise()
    {
        const double calm = endOn(0.05, 10).continuation->seconds;
        const double noisy = endOn(0.4, 10).continuation->seconds;
        QVERIFY2(noisy > 4.0 * calm, std::to_string(noisy / calm).c_str());
    }

    void reportsNoGainOfAConfidentSearch()
    {
        const SearchState end = endOn(0.004, 40);
        QCOMPARE(end.status, Status::Confident);
        QVERIFY(!end.continuation);
    }

    /// The confidence rises so slowly that the budget would be used up first.
    void endsIfTheTargetIsOutOfReach()
    {
        const SearchState end = endOn(0.6, 40);
        QCOMPARE(end.status, Status::Exhausted);
        QVERIFY(end.continuation);
    }
};

BATCHPEAK_TEST(ContinuationEstimateTest)
#include "tst_continuation_estimate.moc"
