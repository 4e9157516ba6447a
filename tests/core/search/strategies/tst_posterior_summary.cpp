// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"

#include "trial_series.h"

#include <QTest>

#include <cmath>
#include <functional>

using namespace batchpeak::search;
using Cause = Instability::Cause;
using TrialOf = std::function<Measurement(TrialSeries&, std::int64_t size, int round)>;

namespace {

/// Gives 727, 914, 977 and 985 samples/s at 16, 64, 256 and 400: 26, 7 and 0.8 % below the last.
double risingSeconds(std::int64_t m)
{
    return 0.006 + 0.001 * static_cast<double>(m);
}

/// Returns a trial five seconds after the previous one.
Measurement calm(TrialSeries& trials, std::int64_t size, double factor = 1.0)
{
    return trials.trial(size, factor * (0.05 + 0.001 * static_cast<double>(size)));
}

struct Within
{
    double tolerance;
    std::int64_t best;
    std::int64_t smallest;
};

} // namespace

class PosteriorSummaryTest : public QObject
{
    Q_OBJECT

private slots:
    void namesTheSmallestWithinTolerance_data()
    {
        rows<Within>({
            {"two percent", {0.02, 400, 256}},
            {"ten percent", {0.1, 400, 64}},
            {"half a percent", {0.005, 400, 0}},
        });
    }
    void namesTheSmallestWithinTolerance()
    {
        const auto& [tolerance, best, smallest] = row<Within>();
        TrialSeries trials(tolerance);
        for (int repetition = 0; repetition < 3; ++repetition)
            trials.record({1, 16, 64, 256, 400}, risingSeconds);
        const PosteriorSummary summary = trials.summary();
        QCOMPARE(summary.best, best);
        QCOMPARE(summary.smallestWithinTolerance, smallest);
    }

    void ignoresFailedSizes()
    {
        TrialSeries trials;
        trials.record({1, 16, 64, 256, 300, 400}, risingSeconds);
        Measurement thrashing = trials.trial(256, risingSeconds(256));
        thrashing.thrashes = true;
        trials.record(thrashing);
        QCOMPARE(trials.summary().smallestWithinTolerance, 300);
    }

    /// Of sizes whose speeds differ by less than 0.2 %, the smaller one wins, since it leaves more memory.
    void prefersTheSmallerOfEqualSizes_data()
    {
        rows<double, std::int64_t>({
            {"as fast", {0.0, 200}},
            {"faster by a tenth of a percent", {0.001, 200}},
            {"faster by one percent", {0.01, 400}},
        });
    }
    void prefersTheSmallerOfEqualSizes()
    {
        const auto& [lead, best] = row<double, std::int64_t>();
        TrialSeries trials;
        for (int repetition = 0; repetition < 6; ++repetition) {
            trials.record({1, 16, 64, 200, 400}, [lead = lead](std::int64_t m) {
                const double samplesPerSecond =
                    m < 200 ? 5.0 * static_cast<double>(m) : (m < 400 ? 1000.0 : 1000.0 * (1.0 + lead));
                return static_cast<double>(m) / samplesPerSecond;
            });
        }
        QCOMPARE(trials.summary().best, best);
    }

    void findsTheCause_data()
    {
        const TrialOf always = [](TrialSeries& trials, std::int64_t size, int) { return calm(trials, size); };
        const TrialOf everySecondSlower = [](TrialSeries& trials, std::int64_t size, int round) {
            return calm(trials, size, round % 2 == 0 ? 1.0 : 1.33);
        };
        const TrialOf noisySteps = [](TrialSeries& trials, std::int64_t size, int) {
            Measurement trial = calm(trials, size);
            const double seconds = trial.secondsPerStep;
            trial.stepSeconds = {0.6 * seconds, 0.85 * seconds, seconds, 1.2 * seconds, 1.5 * seconds};
            return trial;
        };
        const TrialOf everSlower = [](TrialSeries& trials, std::int64_t size, int) {
            const double factor = std::exp(0.006 * calm(trials, size).clockSeconds);
            return calm(trials, size, factor);
        };
        const TrialOf everySecondDisturbed = [](TrialSeries& trials, std::int64_t size, int round) {
            Measurement trial = calm(trials, size, round % 2 == 0 ? 2.0 : 1.0);
            trial.disturbed = round % 2 == 0;
            return trial;
        };
        rows<TrialOf, Cause>({
            {"calm", {always, Cause::None}},
            {"every second trial slower by a third", {everySecondSlower, Cause::Noise}},
            {"steps that differ by 30 %", {noisySteps, Cause::Noise}},
            {"ever slower", {everSlower, Cause::Drift}},
            {"every second disturbed", {everySecondDisturbed, Cause::OtherTenants}},
        });
    }
    void findsTheCause()
    {
        const auto& [trialOf, cause] = row<TrialOf, Cause>();
        TrialSeries trials;
        // Runs each size twice in a row, and again after all the others.
        for (int round = 0; round < 6; round += 2) {
            for (const std::int64_t size : {8, 64, 256, 400}) {
                trials.record(trialOf(trials, size, round));
                trials.record(trialOf(trials, size, round + 1));
            }
        }
        const PosteriorSummary summary = trials.summary();
        QCOMPARE(summary.instability.cause, cause);
        QCOMPARE(summary.instability.size > 0.0, cause != Cause::None);
    }

    /// One trial does not characterize the device.
    void reportsNoInstabilityAtFirst()
    {
        TrialSeries trials;
        Measurement disturbed = calm(trials, 8);
        disturbed.disturbed = true;
        trials.record(disturbed);
        trials.record(calm(trials, 64));
        QCOMPARE(trials.summary().instability.cause, Cause::None);
    }
};

BATCHPEAK_TEST(PosteriorSummaryTest)
#include "tst_posterior_summary.moc"
