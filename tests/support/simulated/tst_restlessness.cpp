// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "restlessness.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

namespace {

constexpr double shortWork = 0.05;

/// Returns the ratio of the time of constant work to its calm time.
double slowdownOver(const Restlessness& restlessness, std::uint64_t seed, double calmSeconds)
{
    DeviceSpeed speed(restlessness, seed);
    double seconds = 0.0;
    for (double done = 0.0; done < calmSeconds; done += shortWork)
        seconds += speed.work(shortWork);
    return seconds / calmSeconds;
}

} // namespace

class RestlessnessTest : public QObject
{
    Q_OBJECT

private slots:
    void takesTheCalmTimeWithoutRestlessness()
    {
        DeviceSpeed speed({}, 1);
        speed.restUntil(10.0);
        QCOMPARE(speed.work(0.3), 0.3);
        QCOMPARE(speed.clock(), 10.3);
        speed.restUntil(5.0);
        QCOMPARE(speed.clock(), 10.3);
    }

    void matchesTheLongRunSlowdown_data()
    {
        rows<Restlessness>({
            {"two speeds", {.slowdown = 0.1, .fastSeconds = 12.0, .slowSeconds = 4.0}},
            {"bursts", {.burstSlowdown = 0.5, .secondsBetweenBursts = 9.0, .burstSeconds = 1.0}},
            {"heat", {.heatSlowdown = 0.08, .heatSeconds = 30.0}},
            {"all",
             {.slowdown = 0.05,
              .fastSeconds = 5.0,
              .slowSeconds = 8.0,
              .burstSlowdown = 0.3,
              .secondsBetweenBursts = 10.0,
              .burstSeconds = 2.0,
              .heatSlowdown = 0.04,
              .heatSeconds = 20.0}},
        });
    }
    void matchesTheLongRunSlowdown()
    {
        const auto& restlessness = row<Restlessness>();
        const double seen = slowdownOver(restlessness, 1, 2e5);
        QVERIFY2(std::abs(seen / longRunSlowdown(restlessness) - 1.0) < 0.003, std::to_string(seen).c_str());
    }

    void alternatesBetweenTwoSpeedsOnly()
    {
        DeviceSpeed speed({.slowdown = 0.1, .fastSeconds = 5.0, .slowSeconds = 5.0}, 2);
        int changes = 0;
        for (int i = 0; i < 4000; ++i) {
            const double seconds = speed.work(shortWork) / shortWork;
            const bool isPure = std::abs(seconds - 1.0) < 1e-9 || std::abs(seconds - 1.1) < 1e-9;
            changes += isPure ? 0 : 1;
            QVERIFY(seconds > 1.0 - 1e-9 && seconds < 1.1 + 1e-9);
        }
        // The speed changes 41 times on average in about 205 s.
        QVERIFY2(changes > 15 && changes < 80, std::to_string(changes).c_str());
    }

    void coolsWhileItRests()
    {
        const Restlessness restlessness{.heatSlowdown = 0.1, .heatSeconds = 10.0};
        DeviceSpeed speed(restlessness, 1);
        QCOMPARE(speed.work(1.0), 1.0);
        speed.work(100.0);
        QVERIFY(speed.work(1.0) > 1.099);
        speed.restUntil(speed.clock() + 60.0);
        QCOMPARE(speed.work(1.0), 1.0);
    }

    void isTheSameForTheSameSeed_data()
    {
        const auto add = rows<std::string>();
        for (const std::string& world : restlessWorlds())
            add(world, world);
    }
    void isTheSameForTheSameSeed()
    {
        const std::string& world = row<std::string>();
        const auto speeds = [&](std::uint64_t seed) {
            ReplayDevice device(deviceOf("smooth", seed, world), seed);
            std::vector<double> seconds;
            for (const std::int64_t size : {1, 2, 3, 1, 2, 3})
                seconds.push_back(device.run({.size = size}).secondsPerStep);
            return seconds;
        };
        QCOMPARE(speeds(3), speeds(3));
        QVERIFY(speeds(3) != speeds(4));
    }

    void keepsTheRoughnessOfASize()
    {
        const Restlessness restlessness = restlessnessOf("rough", 1);
        std::vector<double> squares;
        for (std::int64_t size = 1; size <= 2000; ++size)
            squares.push_back(std::pow(roughnessAt(restlessness, 1, size), 2.0));
        const double deviation = std::sqrt(std::reduce(squares.begin(), squares.end()) / 2000.0);
        QVERIFY2(std::abs(deviation / 0.01 - 1.0) < 0.1, std::to_string(deviation).c_str());
        QCOMPARE(roughnessAt(restlessness, 1, 7), roughnessAt(restlessness, 1, 7));
        QCOMPARE(roughnessAt({}, 1, 7), 0.0);
        const auto rough = deviceOf("smooth", 3, "rough").seconds(5);
        QCOMPARE(rough,
                 deviceOf("smooth", 3).seconds(5) * std::exp(roughnessAt(restlessnessOf("rough", 3), 3, 5)));
    }

    void refusesAnUnknownWorld()
    {
        QVERIFY_EXCEPTION_THROWN(restlessnessOf("windy", 1), std::invalid_argument);
    }
};

BATCHPEAK_TEST(RestlessnessTest)
#include "tst_restlessness.moc"
