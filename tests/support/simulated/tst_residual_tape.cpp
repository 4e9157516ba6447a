// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_tape.h"

#include "device_families.h"
#include "recorded_sweep.h"
#include "replay_device.h"
#include "restlessness.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "sweep_collection.h"
#include "sweep_truth.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace {

const std::string sweepName = "cpu-gpt2-tiny-train-32";

/// Returns a sweep on a device that alternates between two speeds every second and whose steps alternate too.
RecordedSweep twoSpeeds()
{
    RecordedSweep sweep;
    for (int i = 0; i < 40; ++i) {
        const double speed = i % 2 == 0 ? 1.0 : 1.1;
        sweep.trials.push_back({.visit = 1 + i / 8,
                                .size = 1 + i / 2 % 4,
                                .clockSeconds = 5.0 + i,
                                .stepSeconds = {0.1 * speed, 0.12 * speed, 0.1 * speed},
                                .peakReservedBytes = 1.0,
                                .wallSeconds = 1.0});
    }
    return sweep;
}

} // namespace

class ResidualTapeTest : public QObject
{
    Q_OBJECT

private slots:
    void addsUpToTheRecordedSteps()
    {
        const auto sweep = SweepCollection::sweep(sweepName);
        const auto truth = SweepCollection::truth(sweepName);
        const auto tape = SweepCollection::residuals(sweepName);
        const RecordedSweep::Trial& trial = sweep->trials[70];
        QVERIFY(trial.fits);
        const ResidualTape::Visit& visit = tape->visits()[70];
        QCOMPARE(visit.clockSeconds, trial.clockSeconds - sweep->trials[0].clockSeconds);
        QCOMPARE(visit.steps.size(), trial.stepSeconds.size());
        // Returns the part of a step that the tape does not hold: the ratio of a typical step to the long
        // run, which is the same for all visits.
        const auto residual = [&](std::size_t place, std::size_t step) {
            const ResidualTape::Visit& played = tape->visits()[place];
            const RecordedSweep::Trial& recorded = sweep->trials[place];
            double level = 0.0;
            for (int draw = 0; draw < truth->draws(); ++draw)
                level += std::log(truth->seconds(draw, recorded.size)) / truth->draws();
            return std::log(recorded.stepSeconds[step]) - level - played.deviceSpeed - played.visit -
                   played.steps[step];
        };
        QVERIFY(sweep->trials[90].fits);
        QVERIFY2(std::abs(residual(70, 2) - residual(90, 1)) < 1e-9,
                 std::to_string(residual(70, 2) - residual(90, 1)).c_str());
    }

    void findsTheVisitAtATime()
    {
        const RecordedSweep sweep = twoSpeeds();
        const ResidualTape tape(sweep, SweepTruth(visitsOf(sweep), 1, 10));
        QCOMPARE(tape.length(), 40.0);
        QCOMPARE(tape.placeAt(0.0), std::size_t{0});
        QCOMPARE(tape.placeAt(6.9), std::size_t{6});
        QCOMPARE(tape.placeAt(39.9), std::size_t{39});
    }

    /// Searches are judged by longRunSlowdown(), so a device with recorded noise must have this slowdown.
    void keepsTheLongRunSlowdown_data()
    {
        const auto add = rows<std::string, double>();
        for (const std::string& name : SweepCollection::names()) {
            for (const double seconds : {0.005, 0.1})
                add(name + ", " + std::to_string(seconds) + " s", {name, seconds});
        }
    }
    void keepsTheLongRunSlowdown()
    {
        const auto& [name, calmSeconds] = row<std::string, double>();
        ReplayDevice::Truth truth = deviceOf("smooth", 1, "replayed");
        truth.restlessness.residuals = SweepCollection::residuals(name);
        truth.seconds = [=](std::int64_t) { return calmSeconds; };
        // Setup takes the same time in slow phases, so that steps would take a larger share of the time
        // there.
        truth.setupSeconds = 0.0;
        ReplayDevice device(truth, 7);
        double sum = 0.0;
        std::size_t steps = 0;
        for (int i = 0; i < 6000; ++i) {
            const auto trial = device.run({.size = 1});
            sum += std::reduce(trial.stepSeconds.begin(), trial.stepSeconds.end());
            steps += trial.stepSeconds.size();
        }
        const double slowdown = sum / static_cast<double>(steps) / calmSeconds;
        const double expected = longRunSlowdown(truth.restlessness);
        QVERIFY2(std::abs(slowdown / expected - 1.0) < 0.02,
                 (std::to_string(slowdown) + " and not " + std::to_string(expected)).c_str());
    }

    /// Trials that are close in time are as similar as the recorded ones.
    void keepsSlowChangesOfSpeed()
    {
        const auto tape = SweepCollection::residuals("cpu-gpt2-tiny-train-32-bursts");
        TapePlayer player(tape, 3);
        std::vector<double> now;
        for (int i = 0; i < 40000; ++i) {
            player.moveTo(0.5 * i);
            now.push_back(player.deviceSpeed());
        }
        const double mean = std::reduce(now.begin(), now.end()) / static_cast<double>(now.size());
        const auto autocorrelation = [&](std::size_t lag) {
            double products = 0.0;
            double squares = 0.0;
            for (std::size_t i = 0; i + lag < now.size(); ++i) {
                products += (now[i] - mean) * (now[i + lag] - mean);
                squares += (now[i] - mean) * (now[i] - mean);
            }
            return products / squares;
        };
        QVERIFY2(autocorrelation(1) > 0.5, std::to_string(autocorrelation(1)).c_str());
        QVERIFY2(std::abs(autocorrelation(600)) < 0.1, std::to_string(autocorrelation(600)).c_str());
    }

    void usesDifferentSweepsForDifferentSeeds()
    {
        std::vector<const ResidualTape*> tapes;
        for (std::uint64_t seed = 1; seed <= 40; ++seed)
            tapes.push_back(deviceOf("smooth", seed, "replayed").restlessness.residuals.get());
        std::ranges::sort(tapes);
        const auto repeated = std::ranges::unique(tapes);
        QVERIFY(static_cast<std::size_t>(repeated.begin() - tapes.begin()) >
                SweepCollection::names().size() / 2);
        // A recorded device keeps its own noise.
        QCOMPARE(deviceOf(sweepName, 2, "replayed").restlessness.residuals.get(),
                 SweepCollection::residuals(sweepName).get());
    }

    void drawsARecordedDeviceFromThePossibleOnes()
    {
        const ReplayDevice::Truth one = deviceOf(sweepName, 1);
        QVERIFY(one.possible);
        QVERIFY(one.seconds(16) != deviceOf(sweepName, 2).seconds(16));
        QCOMPARE(one.seconds(16), deviceOf(sweepName, 1).seconds(16));
        QVERIFY(!deviceOf("smooth", 1).possible);
    }

    void makesEqualSizesEquallyFast()
    {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const ReplayDevice device(deviceOf("equal", seed), seed);
            const std::int64_t largest = device.largestFit();
            QVERIFY(std::abs(device.speed(largest) / device.speed(largest / 2) - 1.0) < 1e-3);
            QVERIFY(device.speed(1) < 0.95 * device.speed(largest));
        }
    }
};

BATCHPEAK_TEST(ResidualTapeTest)
#include "tst_residual_tape.moc"
