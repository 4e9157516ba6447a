// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"

#include "trial_series.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;
using Kind = SpeedLimit::Kind;
using Curve = TrialSeries::Curve;
using Sizes = std::vector<std::int64_t>;

namespace {

constexpr double perSample = 1e-3;
const Sizes usual{1, 8, 64, 128, 200, 256, 320, 370, 390, 400};

double waves(std::int64_t size, double wave)
{
    return wave * std::ceil(static_cast<double>(size) / wave);
}

struct Limited
{
    Curve curve;
    Sizes sizes;
    Kind kind;
};

} // namespace

class SpeedLimitTest : public QObject
{
    Q_OBJECT

private slots:
    void identifiesTheLimit_data()
    {
        const Curve overhead = [](std::int64_t m) { return 0.1 + perSample * static_cast<double>(m); };
        const Curve work = [](std::int64_t m) { return 0.002 + perSample * static_cast<double>(m); };
        const Curve wavesOf64 = [](std::int64_t m) {
            return 0.002 + 0.4 * perSample * static_cast<double>(m) + 0.6 * perSample * waves(m, 64.0);
        };
        const Curve oddCostMore = [](std::int64_t m) {
            return 0.002 + (m % 8 == 0 ? 1.0 : 1.1) * perSample * static_cast<double>(m);
        };
        const Curve fallsAtTheEnd = [](std::int64_t m) {
            const double beyond = std::max(0.0, static_cast<double>(m) / 400.0 - 0.9);
            return 0.05 + perSample * static_cast<double>(m) * (1.0 + 2.0 * beyond);
        };
        rows<Limited>({
            {"a constant of a fifth of the step", {overhead, usual, Kind::LaunchBound}},
            {"two sizes are too few", {overhead, {1, 8}, Kind::Unknown}},
            {"work alone", {work, usual, Kind::Saturated}},
            {"waves of 64",
             {wavesOf64,
              {1, 8, 64, 65, 96, 128, 129, 192, 193, 256, 257, 320, 321, 384, 385},
              Kind::TileQuantized}},
            {"odd sizes cost a tenth more",
             {oddCostMore,
              {1, 8, 60, 64, 100, 128, 196, 200, 250, 256, 314, 320, 370, 376, 395, 400},
              Kind::TileQuantized}},
            {"falls over the last tenth",
             {fallsAtTheEnd,
              {1, 400, 8, 370, 64, 355, 200, 390, 320, 380, 340, 360, 400, 355, 370, 360, 390, 380},
              Kind::MemoryThrashing}},
        });
    }
    void identifiesTheLimit()
    {
        const auto& [curve, sizes, kind] = row<Limited>();
        TrialSeries trials;
        trials.record(sizes, curve);
        const SpeedLimit limit = trials.summary().speedLimit;
        QCOMPARE(limit.kind, kind);
        QVERIFY(limit.probability >= 0.0 && limit.probability <= 1.0);
        QCOMPARE(limit.period > 0, kind == Kind::TileQuantized);
    }

    /// With overhead a, work b per sample and size m, the share s of the overhead is a / (a + b m). The gain
    /// of twice m is s / (2 - s), since (a + b m) / m over (a + 2 b m) / 2 m is 1 + s / (2 - s).
    void computesTheShareOfTheOverhead()
    {
        TrialSeries trials;
        trials.record(usual, [](std::int64_t m) { return 0.1 + perSample * static_cast<double>(m); });
        const SpeedLimit limit = trials.summary().speedLimit;
        QVERIFY(std::abs(limit.overheadShare - 0.1 / 0.5) < 0.03);
        QVERIFY(std::abs(limit.doublingGain - 0.2 / 1.8) < 0.02);
    }

    void findsThePeriod_data() { rows<double>({{"of 32", 32.0}, {"of 64", 64.0}, {"of 48", 48.0}}); }
    void findsThePeriod()
    {
        const double wave = row<double>();
        const auto step = static_cast<std::int64_t>(wave);
        // All sizes are aligned, so that only waves explain the jumps.
        Sizes sizes{1, 8};
        for (std::int64_t multiple = step; multiple < 400; multiple += step)
            sizes.insert(sizes.end(), {multiple - step / 4, multiple, multiple + step / 4});
        TrialSeries trials;
        trials.record(sizes, [wave](std::int64_t m) {
            return 0.002 + 0.4 * perSample * static_cast<double>(m) + 0.6 * perSample * waves(m, wave);
        });
        const SpeedLimit limit = trials.summary().speedLimit;
        QCOMPARE(limit.kind, Kind::TileQuantized);
        QCOMPARE(limit.period, step);
        const auto best = static_cast<double>(trials.summary().best);
        const double jump = 0.6 * wave * perSample / (0.002 + perSample * best);
        QVERIFY(std::abs(limit.jump - jump) < 0.2 * jump);
    }

    void reportsThrashingNearAFlaggedTrial_data()
    {
        rows<std::int64_t, Kind>({
            {"just above", {390, Kind::MemoryThrashing}},
            {"far above", {390 * 4, Kind::LaunchBound}},
        });
    }
    void reportsThrashingNearAFlaggedTrial()
    {
        const auto& [flagged, kind] = row<std::int64_t, Kind>();
        TrialSeries trials;
        const auto seconds = [](std::int64_t m) { return 0.1 + perSample * static_cast<double>(m); };
        trials.record({1, 8, 64, 128, 200, 256, 320, 370}, seconds);
        Measurement thrashing = trials.trial(flagged, 2.0 * seconds(flagged));
        thrashing.thrashes = true;
        trials.record(thrashing);
        QCOMPARE(trials.summary().speedLimit.kind, kind);
    }
};

BATCHPEAK_TEST(SpeedLimitTest)
#include "tst_speed_limit.moc"
