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

/// How a search ends on a device whose steps scatter like this.
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

class ProspectTest : public QObject
{
    Q_OBJECT

private slots:
    void tellsWhatIsStillToBeTold()
    {
        const SearchState end = endOn(0.1, 10);
        QCOMPARE(end.status, Status::Budget);
        QVERIFY(end.prospect && end.recommendation);
        QCOMPARE(end.prospect->size, end.recommendation->size);
        QVERIFY(end.prospect->rival > 0 && end.prospect->rival != end.prospect->size);
        QCOMPARE(end.prospect->gain, end.recommendation->expectedLoss);
        // It is within the tolerance less probably than 95 %, so that more than that is within reach.
        QVERIFY(end.recommendation->confidence < 95);
        QVERIFY(end.prospect->mostGain > 0.02 && end.prospect->mostGain < 0.5);
        QVERIFY(end.prospect->seconds > 0.0);
    }

    /// Variance is what has to be averaged out.
    void noiseTakesTime()
    {
        const double calm = endOn(0.05, 10).prospect->seconds;
        const double noisy = endOn(0.4, 10).prospect->seconds;
        QVERIFY2(noisy > 4.0 * calm, std::to_string(noisy / calm).c_str());
    }

    void aSureSearchHasNothingToGain()
    {
        const SearchState end = endOn(0.004, 40);
        QCOMPARE(end.status, Status::Confident);
        QVERIFY(!end.prospect);
    }

    /// As slowly as it becomes surer, the budget would end first.
    void endsBeforeAWall()
    {
        const SearchState end = endOn(0.6, 40);
        QCOMPARE(end.status, Status::Exhausted);
        QVERIFY(end.prospect);
    }
};

BATCHPEAK_TEST(ProspectTest)
#include "tst_prospect.moc"
