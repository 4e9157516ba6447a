// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"

#include "search/random_source.h"
#include "trial_series.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

using namespace batchpeak::search;

namespace {

/// Seconds of one micro-batch of a size.
using Curve = std::function<double(double size)>;
/// Draws a random curve of one kind, whose parameters have the range of the kind.
using DrawnCurve = std::function<Curve(RandomSource& random)>;

double between(RandomSource& random, double low, double high)
{
    return low * std::pow(high / low, random.uniform());
}

/// Draws overhead and work per sample over many orders of magnitude.
Curve straight(RandomSource& random)
{
    const double perSample = between(random, 1e-6, 1.0);
    const double overhead = perSample * between(random, 0.1, 300.0);
    return [=](double size) { return overhead + perSample * size; };
}

Curve withCliff(RandomSource& random)
{
    const Curve below = straight(random);
    const double after = between(random, 2.0, 300.0);
    const double factor = between(random, 1.3, 100.0);
    return [=](double size) { return below(size) * (size > after ? factor : 1.0); };
}

Curve withDrop(RandomSource& random)
{
    const Curve above = straight(random);
    const double after = between(random, 2.0, 300.0);
    const double factor = between(random, 1.3, 30.0);
    return [=](double size) { return above(size) * (size <= after ? factor : 1.0); };
}

/// Draws a curve whose time grows faster than the size.
Curve ofPower(RandomSource& random)
{
    const Curve below = straight(random);
    const double at = between(random, 16.0, 400.0);
    const double power = between(random, 0.5, 3.0);
    return [=](double size) { return below(size) * (1.0 + std::pow(size / at, power)); };
}

Curve inWaves(RandomSource& random)
{
    const double perWave = between(random, 1e-5, 1.0);
    const double wave = std::round(between(random, 2.0, 130.0));
    return [=](double size) { return perWave * (0.2 + std::ceil(size / wave)); };
}

/// Draws a curve on which each size deviates irregularly.
Curve rough(RandomSource& random)
{
    const Curve below = straight(random);
    const double deviation = between(random, 0.03, 0.5);
    const auto phase = 100.0 * random.uniform();
    return [=](double size) { return below(size) * std::exp(deviation * std::sin(phase + 17.0 * size)); };
}

} // namespace

/// Tests that the displayed number of a size is that of its own trials, whatever curve the model predicts.
class MeasuredEstimatesTest : public QObject
{
    Q_OBJECT

private slots:
    void agreeWithTheirTrials_data()
    {
        rows<DrawnCurve>({
            {"straight", straight},
            {"cliffs", withCliff},
            {"drops", withDrop},
            {"powers", ofPower},
            {"waves", inWaves},
            {"rough", rough},
        });
    }
    void agreeWithTheirTrials()
    {
        const auto drawn = row<DrawnCurve>();
        constexpr int curves = 84;
        constexpr double noise = 0.003;
        constexpr double farOff = 0.1;
        constexpr double mostOff = 0.3;
        constexpr double mostOfThemFarOff = 0.04;
        int estimates = 0;
        int far = 0;
        for (int curve = 0; curve < curves; ++curve) {
            RandomSource random(static_cast<std::uint64_t>(curve) + 1);
            const Curve secondsOf = drawn(random);
            // Typical pause between trials: from a millisecond to about a day.
            const double pause = between(random, 1e-3, 1e5);
            TrialSeries trials;
            std::vector<std::int64_t> sizes{1, 8, 64};
            const int more = 1 + static_cast<int>(9.0 * random.uniform());
            for (int i = 0; i < more; ++i)
                sizes.push_back(static_cast<std::int64_t>(between(random, 1.0, 400.0)));
            std::map<std::int64_t, std::vector<double>> logSpeeds;
            for (const std::int64_t size : sizes) {
                const double seconds =
                    secondsOf(static_cast<double>(size)) * std::exp(noise * random.normal());
                trials.wait(between(random, 0.1, 10.0) * pause);
                trials.record(trials.trial(size, seconds));
                logSpeeds[size].push_back(std::log(static_cast<double>(size) / seconds));
            }
            for (const SizeEstimate& estimate : trials.summary().measured) {
                const std::vector<double>& seen = logSpeeds[estimate.size];
                const double meanLogSpeed =
                    std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size());
                const double off = std::abs(std::log(estimate.samplesPerSecond) - meanLogSpeed);
                QVERIFY2(off < 3.0 * estimate.relativeError && off < mostOff,
                         qPrintable(QStringLiteral("curve %1, size %2: off by %3, with an error of %4")
                                        .arg(curve)
                                        .arg(estimate.size)
                                        .arg(off)
                                        .arg(estimate.relativeError)));
                ++estimates;
                far += off > farOff ? 1 : 0;
            }
        }
        QVERIFY2(far < mostOfThemFarOff * estimates, qPrintable(QString::number(far)));
    }
};

BATCHPEAK_TEST(MeasuredEstimatesTest)
#include "tst_measured_estimates.moc"
