// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "search/strategies/posterior_strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;
using Cause = Instability::Cause;

namespace {

constexpr std::uint64_t seed = 3;

/// Disturbance of a device.
struct Disturbance
{
    double stepNoise = 0.004;
    /// Share of trials that another program slows down by taking half of the CPU, which is noticed.
    double tenantShare = 0.0;
};

/// Expected statement about the device.
struct Statement
{
    Cause cause = Cause::None;
    int minConfidence = 1;
    int maxConfidence = 99;
};

/// Returns the recommendation of a whole search.
Recommendation searchOn(const Disturbance& disturbance)
{
    ReplayDevice::Truth truth = simulatedDevice("smooth", seed);
    truth.drift = 0.0;
    truth.stepNoise = disturbance.stepNoise;
    truth.runNoise = 0.002;
    ReplayDevice device(truth, seed);
    RandomSource tenant(seed + 1);
    PosteriorStrategy strategy(device.space());
    while (const auto proposal = strategy.next({})) {
        Measurement trial = device.run(*proposal);
        if (tenant.uniform() < disturbance.tenantShare) {
            trial.disturbed = true;
            trial.secondsPerStep *= 2.0;
            for (double& seconds : trial.stepSeconds)
                seconds *= 2.0;
        }
        strategy.record(trial);
    }
    return *strategy.searchState().recommendation;
}

} // namespace

/// Tests that a search that can conclude nothing reports this.
class UnstableDeviceTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTheCauseAndItsConfidence_data()
    {
        rows<Disturbance, Statement>({
            {"calm", {Disturbance{}, {.minConfidence = 90}}},
            // The trials between the visits of the tenant are reliable.
            {"a tenant that is seen",
             {Disturbance{.tenantShare = 0.7}, {.cause = Cause::OtherTenants, .minConfidence = 80}}},
            {"steps that differ by 30 %",
             {Disturbance{.stepNoise = 0.3}, {.cause = Cause::Noise, .maxConfidence = 89}}},
        });
    }
    void reportsTheCauseAndItsConfidence()
    {
        const auto& [disturbance, statement] = row<Disturbance, Statement>();
        const Recommendation recommendation = searchOn(disturbance);
        QCOMPARE(recommendation.reason.instability.cause, statement.cause);
        QVERIFY(recommendation.confidence >= statement.minConfidence);
        QVERIFY(recommendation.confidence <= statement.maxConfidence);
    }

    void isNotMisledByNoticedDisturbances()
    {
        int right = 0;
        for (std::uint64_t device = 1; device <= 8; ++device) {
            ReplayDevice::Truth truth = simulatedDevice("interior peak", device);
            truth.restlessness = {.seenShare = 0.25, .seenSlowdown = 1.5};
            ReplayDevice replay(truth, device);
            PosteriorStrategy strategy(replay.space());
            while (const auto proposal = strategy.next({}))
                strategy.record(replay.run(*proposal));
            const std::int64_t size = strategy.searchState().recommendation->size;
            right += replay.speed(size) >= 0.98 * replay.bestSpeed({}) ? 1 : 0;
        }
        QVERIFY2(right >= 7, std::to_string(right).c_str());
    }
};

BATCHPEAK_TEST(UnstableDeviceTest)
#include "tst_unstable_device.moc"
