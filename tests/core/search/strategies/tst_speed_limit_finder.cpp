// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/speed_limit_finder.h"
#include "support/test_main.h"

#include "judged_trials.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;
using Kind = SpeedLimit::Kind;
using Curve = JudgedTrials::Curve;
using Sizes = std::vector<std::int64_t>;

Q_DECLARE_METATYPE(JudgedTrials::Curve)
Q_DECLARE_METATYPE(Sizes)
Q_DECLARE_METATYPE(batchpeak::search::SpeedLimit::Kind)

namespace {

constexpr double perSample = 1e-3;
const Sizes usual{1, 8, 64, 128, 200, 256, 320, 370, 390, 400};

double waves(std::int64_t size, double wave)
{
    return wave * std::ceil(static_cast<double>(size) / wave);
}

} // namespace

class SpeedLimitFinderTest : public QObject
{
    Q_OBJECT

private slots:
    void tellsWhatLimits_data()
    {
        QTest::addColumn<Curve>("curve");
        QTest::addColumn<Sizes>("sizes");
        QTest::addColumn<Kind>("kind");
        const auto row = [](const char* name, const Curve& curve, const Sizes& sizes, Kind kind) {
            QTest::newRow(name) << curve << sizes << kind;
        };
        const Curve overhead = [](std::int64_t m) { return 0.1 + perSample * static_cast<double>(m); };
        row("a constant of a fifth of the step", overhead, usual, Kind::LaunchBound);
        row("two sizes are too few", overhead, {1, 8}, Kind::Unknown);
        row(
            "work alone", [](std::int64_t m) { return 0.002 + perSample * static_cast<double>(m); }, usual,
            Kind::Saturated);
        row(
            "waves of 64",
            [](std::int64_t m) {
                return 0.002 + 0.4 * perSample * static_cast<double>(m) + 0.6 * perSample * waves(m, 64.0);
            },
            {1, 8, 64, 65, 96, 128, 129, 192, 193, 256, 257, 320, 321, 384, 385}, Kind::TileQuantised);
        row(
            "odd sizes cost a tenth more",
            [](std::int64_t m) {
                return 0.002 + (m % 8 == 0 ? 1.0 : 1.1) * perSample * static_cast<double>(m);
            },
            {1, 8, 60, 64, 100, 128, 196, 200, 250, 256, 314, 320, 370, 376, 395, 400}, Kind::TileQuantised);
        row(
            "falls over the last tenth",
            [](std::int64_t m) {
                const double beyond = std::max(0.0, static_cast<double>(m) / 400.0 - 0.9);
                return 0.05 + perSample * static_cast<double>(m) * (1.0 + 2.0 * beyond);
            },
            {1, 8, 64, 200, 320, 340, 355, 360, 370, 380, 390, 400}, Kind::MemoryThrashing);
    }
    void tellsWhatLimits()
    {
        QFETCH(Curve, curve);
        QFETCH(Sizes, sizes);
        QFETCH(Kind, kind);
        JudgedTrials trials;
        trials.record(sizes, curve);
        const SpeedLimit limit = trials.judge().speedLimit;
        QCOMPARE(limit.kind, kind);
        QVERIFY(limit.probability >= 0.0 && limit.probability <= 1.0);
        QCOMPARE(limit.period > 0, kind == Kind::TileQuantised);
    }

    /// a / (a + b m) and, since (a + b m) / m over (a + 2 b m) / 2 m is 1 + s / (2 - s), the gain of twice m.
    void overheadIsTheConstantsShare()
    {
        JudgedTrials trials;
        trials.record(usual, [](std::int64_t m) { return 0.1 + perSample * static_cast<double>(m); });
        const SpeedLimit limit = trials.judge().speedLimit;
        QVERIFY(std::abs(limit.overheadShare - 0.1 / 0.5) < 0.03);
        QVERIFY(std::abs(limit.doublingGain - 0.2 / 1.8) < 0.02);
    }

    void findsThePeriod_data()
    {
        QTest::addColumn<double>("wave");
        QTest::newRow("of 32") << 32.0;
        QTest::newRow("of 64") << 64.0;
        QTest::newRow("of 48") << 48.0;
    }
    void findsThePeriod()
    {
        QFETCH(double, wave);
        const auto step = static_cast<std::int64_t>(wave);
        // All of them aligned, so that nothing but waves explains the jumps.
        Sizes sizes{1, 8};
        for (std::int64_t multiple = step; multiple < 400; multiple += step)
            sizes.insert(sizes.end(), {multiple - step / 4, multiple, multiple + step / 4});
        JudgedTrials trials;
        trials.record(sizes, [wave](std::int64_t m) {
            return 0.002 + 0.4 * perSample * static_cast<double>(m) + 0.6 * perSample * waves(m, wave);
        });
        const SpeedLimit limit = trials.judge().speedLimit;
        QCOMPARE(limit.kind, Kind::TileQuantised);
        QCOMPARE(limit.period, step);
        const auto best = static_cast<double>(trials.judge().best);
        const double jump = 0.6 * wave * perSample / (0.002 + perSample * best);
        QVERIFY(std::abs(limit.jump - jump) < 0.2 * jump);
    }

    void aFlaggedTrialNearbyIsThrashing_data()
    {
        QTest::addColumn<qint64>("flagged");
        QTest::addColumn<Kind>("kind");
        QTest::newRow("just above") << qint64(390) << Kind::MemoryThrashing;
        QTest::newRow("far above") << qint64(390 * 4) << Kind::LaunchBound;
    }
    void aFlaggedTrialNearbyIsThrashing()
    {
        QFETCH(qint64, flagged);
        QFETCH(Kind, kind);
        JudgedTrials trials;
        const auto seconds = [](std::int64_t m) { return 0.1 + perSample * static_cast<double>(m); };
        trials.record({1, 8, 64, 128, 200, 256, 320, 370}, seconds);
        Measurement thrashing = trials.trial(flagged, 2.0 * seconds(flagged));
        thrashing.thrashes = true;
        trials.record(thrashing);
        QCOMPARE(trials.judge().speedLimit.kind, kind);
    }
};

BATCHPEAK_TEST(SpeedLimitFinderTest)
#include "tst_speed_limit_finder.moc"
