// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "baselines.h"
#include "replay_device.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace batchpeak::search;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Returns a device with affine memory for 100 samples, whose samples/s fall with the distance from \p peak.
ReplayDevice deviceWithPeakAt(double peak)
{
    return {{.seconds =
                 [peak](std::int64_t size) {
                     const auto m = static_cast<double>(size);
                     return m * (1.0 + std::abs(std::log(m / peak)));
                 },
             .peakBytes = [](std::int64_t size) { return 1e6 + 1e4 * static_cast<double>(size); },
             .baselineBytes = 1e6,
             .limitBytes = 2.005e6,
             .stepNoise = 0.0,
             .runNoise = 0.0},
            1};
}

Sizes sizesTried(Strategy& strategy, ReplayDevice& device)
{
    Sizes sizes;
    while (const auto proposal = strategy.next({})) {
        sizes.push_back(proposal->size);
        strategy.record(device.run(*proposal));
    }
    return sizes;
}

struct Tried
{
    std::string name;
    double peak;
    Sizes sizes;
    std::int64_t answer;
};

} // namespace

class BaselinesTest : public QObject
{
    Q_OBJECT

private slots:
    void triesTheExpectedSizes_data()
    {
        const auto add = rows<Tried>();
        for (const Tried& tried : std::vector<Tried>{
                 {"powers of two", 12.0, {1, 2, 4, 8, 16, 32, 64, 128}, 16},
                 {"double until slower", 12.0, {1, 2, 4, 8, 16, 32}, 16},
                 {"largest that fits", 12.0, {1, 2, 4, 8, 16, 32, 64, 128, 96, 112, 104, 100, 102, 101}, 100},
                 {"like DeepSpeed", 75.0, {1, 106, 101, 95, 48, 71, 67}, 71}})
            add(tried.name, tried);
    }
    void triesTheExpectedSizes()
    {
        const auto& [name, peak, sizes, answer] = row<Tried>();
        ReplayDevice device = deviceWithPeakAt(peak);
        const auto strategy = makeBaseline(name, device.space());
        QCOMPARE(sizesTried(*strategy, device), sizes);
        QCOMPARE(strategy->searchState().recommendation->size, answer);
    }

    void findsASinglePeak_data()
    {
        const auto add = rows<std::string, double>();
        for (const std::string name : {"golden section", "64-point sweep", "four an octave"}) {
            for (const int peak : {1, 30, 80, 500})
                add(name + ", peak at " + std::to_string(peak), {name, peak});
        }
    }
    void findsASinglePeak()
    {
        const auto& [name, peak] = row<std::string, double>();
        ReplayDevice device = deviceWithPeakAt(peak);
        const auto strategy = makeBaseline(name, device.space());
        sizesTried(*strategy, device);
        const std::int64_t answer = strategy->searchState().recommendation->size;
        QVERIFY2(device.speed(answer) > 0.85 * device.bestSpeed({}), qPrintable(QString::number(answer)));
    }

    void triesEachSizeOnceAndEnds_data()
    {
        const auto add = rows<std::string, Sizes>();
        for (const std::string_view view : baselineNames()) {
            const std::string name(view);
            add(name + ", every size", {name, Sizes{}});
            add(name + ", one size", {name, Sizes{1}});
            add(name + ", divisors", {name, Sizes{1, 2, 3, 5, 6, 10, 15, 30}});
            add(name + ", far apart", {name, Sizes{3, 50, 5000}});
        }
    }
    void triesEachSizeOnceAndEnds()
    {
        const auto& [name, allowed] = row<std::string, Sizes>();
        ReplayDevice device = deviceWithPeakAt(20.0);
        SearchSpace space = device.space();
        space.candidates = allowed;
        const auto strategy = makeBaseline(name, space);
        Sizes tried = sizesTried(*strategy, device);
        QVERIFY(!tried.empty());
        QVERIFY(strategy->searchState().recommendation);
        QVERIFY(device.fits(strategy->searchState().recommendation->size));
        QCOMPARE(strategy->searchState().status, SearchState::Status::Exhausted);
        for (const std::int64_t size : tried)
            QVERIFY(allowed.empty() || std::ranges::find(allowed, size) != allowed.end());
        std::ranges::sort(tried);
        QVERIFY(std::ranges::adjacent_find(tried) == tried.end());
    }

    void reportsThatNothingFits_data()
    {
        const auto add = rows<std::string>();
        for (const std::string_view name : baselineNames())
            add(std::string(name), std::string(name));
    }
    void reportsThatNothingFits()
    {
        SearchSpace space{.memoryLimitBytes = 1000};
        const auto strategy = makeBaseline(row<std::string>(), space);
        QVERIFY(strategy->next({}));
        strategy->record({.size = 1, .outcome = batchpeak::trial::Outcome::OutOfMemory});
        QVERIFY(!strategy->next({}));
        QCOMPARE(strategy->searchState().status, SearchState::Status::NothingFits);
        QVERIFY(!strategy->searchState().recommendation);
    }

    void returnsNullForAnUnknownName() { QVERIFY(!makeBaseline("guess", {})); }
};

BATCHPEAK_TEST(BaselinesTest)
#include "tst_baselines.moc"
