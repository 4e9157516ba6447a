// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay_device.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "device_families.h"
#include "search/strategy.h"

#include <QTest>

#include <string>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;

namespace {

/// Returns a device without noise. Ten sizes fit, and a step takes 0.1 s per sample.
ReplayDevice::Truth plainTruth()
{
    return {.seconds = [](std::int64_t size) { return 0.1 * static_cast<double>(size); },
            .peakBytes = [](std::int64_t size) { return 100.0 * static_cast<double>(size); },
            .limitBytes = 1050.0,
            .stepNoise = 0.0,
            .runNoise = 0.0,
            .setupSeconds = 2.0};
}

} // namespace

class ReplayDeviceTest : public QObject
{
    Q_OBJECT

private slots:
    void measuresTheTruthWithoutNoise()
    {
        ReplayDevice device(plainTruth(), 1);
        const Measurement trial = device.run({.size = 4});
        QCOMPARE(trial.outcome, Outcome::Ok);
        QCOMPARE(trial.secondsPerStep, 0.4);
        QCOMPARE(trial.stepSeconds.size(), std::size_t{5});
        QCOMPARE(trial.peakReservedBytes, 400);
        QCOMPARE(trial.wallSeconds, 2.0 + (4.5 + 5.0) * 0.4);
        QCOMPARE(device.clockSeconds(), trial.wallSeconds);
    }

    void runsOutOfMemoryAboveTheLargestFit()
    {
        ReplayDevice device(plainTruth(), 1);
        QCOMPARE(device.largestFit(), 10);
        QCOMPARE(device.run({.size = 10}).outcome, Outcome::Ok);
        const Measurement trial = device.run({.size = 11});
        QCOMPARE(trial.outcome, Outcome::OutOfMemory);
        QVERIFY(trial.stepSeconds.empty());
        QVERIFY(trial.wallSeconds > 0.0);
    }

    void abandonsATrialAfterThreeSlowSteps()
    {
        ReplayDevice device(plainTruth(), 1);
        const Measurement slow = device.run({.size = 4, .abandonAboveSeconds = 0.39});
        QVERIFY(slow.abandoned);
        QCOMPARE(slow.stepSeconds.size(), std::size_t{3});
        QVERIFY(!device.run({.size = 4, .abandonAboveSeconds = 0.41}).abandoned);
    }

    void ignoresAWaitUntilThePast()
    {
        ReplayDevice device(plainTruth(), 1);
        device.waitUntil(30.0);
        device.waitUntil(20.0);
        QCOMPARE(device.run({.size = 4}).clockSeconds, 30.0 + 2.0 + (4.5 + 5.0) * 0.4);
    }

    void sumsTheCostOfARamp()
    {
        // Sizes 1, 2, 4 and 8 take 24, 5, 5 and 5 timed steps, each after a warm-up of 4.5 steps.
        ReplayDevice::Truth truth = plainTruth();
        truth.seconds = [](std::int64_t size) { return size == 1 ? 0.01 : 0.1; };
        QCOMPARE(ReplayDevice(truth, 1).rampSeconds(), 4 * 2.0 + 28.5 * 0.01 + 3 * 9.5 * 0.1);
    }

    void recommendsAMeasuredSizeOnEveryRecordedSweep_data()
    {
        const auto add = rows<std::string, std::string>();
        const std::vector<DeviceGroup> groups = deviceGroups();
        QCOMPARE(groups.back().title, std::string("recorded"));
        QVERIFY(groups.back().families.size() >= 4);
        for (const std::string& family : groups.back().families) {
            for (const std::string_view strategy : strategyNames())
                add(family + ", " + std::string(strategy), {family, std::string(strategy)});
        }
    }
    void recommendsAMeasuredSizeOnEveryRecordedSweep()
    {
        const auto& [family, strategy] = row<std::string, std::string>();
        ReplayDevice device(deviceOf(family, 3), 3);
        const auto search = makeStrategy(strategy, device.space());
        std::vector<std::int64_t> ran;
        while (const auto proposal = search->next({})) {
            const Measurement trial = device.run(*proposal);
            search->record(trial);
            if (trial.outcome == Outcome::Ok)
                ran.push_back(trial.size);
        }
        const auto& recommendation = search->searchState().recommendation;
        QVERIFY(recommendation);
        QVERIFY(std::ranges::find(ran, recommendation->size) != ran.end());
        QVERIFY(recommendation->confidence >= 1 && recommendation->confidence <= 99);
        QVERIFY(search->searchState().status != SearchState::Status::Searching);
    }
};

BATCHPEAK_TEST(ReplayDeviceTest)
#include "tst_replay_device.moc"
