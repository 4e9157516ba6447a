// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "search/strategies/posterior_strategy.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using Cause = Instability::Cause;

Q_DECLARE_METATYPE(batchpeak::search::Instability::Cause)

namespace {

constexpr std::uint64_t seed = 3;

/// What is wrong with a device.
struct Restlessness
{
    double drift = 0.0;
    double stepNoise = 0.004;
    /// Trials that another program slows down by half of the processor, and whether that was noticed.
    double tenantShare = 0.0;
    bool isNoticed = true;
};

/// A whole search; \return its recommendation.
Recommendation searchOn(const Restlessness& restlessness)
{
    ReplayDevice::Truth truth = simulatedDevice("smooth", seed);
    truth.drift = restlessness.drift;
    truth.stepNoise = restlessness.stepNoise;
    truth.runNoise = 0.002;
    ReplayDevice device(truth, seed);
    RandomSource tenant(seed + 1);
    PosteriorStrategy strategy(device.space());
    while (const auto proposal = strategy.next({})) {
        Measurement trial = device.run(*proposal);
        if (tenant.uniform() < restlessness.tenantShare) {
            trial.disturbed = restlessness.isNoticed;
            trial.secondsPerStep *= 2.0;
            for (double& seconds : trial.stepSeconds)
                seconds *= 2.0;
        }
        strategy.record(trial);
    }
    return *strategy.searchState().recommendation;
}

} // namespace

Q_DECLARE_METATYPE(Restlessness)

/// When nothing can be told, the search says so.
class RestlessDeviceTest : public QObject
{
    Q_OBJECT

private slots:
    void statesLittleAndSaysWhy_data()
    {
        QTest::addColumn<Restlessness>("restlessness");
        QTest::addColumn<Cause>("cause");
        QTest::newRow("calm") << Restlessness{} << Cause::None;
        QTest::newRow("a tenant that is seen") << Restlessness{.tenantShare = 0.7} << Cause::OtherTenants;
        QTest::newRow("steps that differ by 30 %") << Restlessness{.stepNoise = 0.3} << Cause::Noise;
    }
    void statesLittleAndSaysWhy()
    {
        QFETCH(Restlessness, restlessness);
        QFETCH(Cause, cause);
        const Recommendation recommendation = searchOn(restlessness);
        QCOMPARE(recommendation.reason.instability.cause, cause);
        QCOMPARE(recommendation.confidence < 70, cause != Cause::None);
    }
};

BATCHPEAK_TEST(RestlessDeviceTest)
#include "tst_restless_device.moc"
