// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/instability.h"
#include "support/test_main.h"

#include "judged_trials.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;
using Cause = Instability::Cause;
using TrialOf = std::function<Measurement(JudgedTrials&, std::int64_t size, int round)>;

Q_DECLARE_METATYPE(batchpeak::search::Instability)
Q_DECLARE_METATYPE(batchpeak::search::Instability::Cause)
Q_DECLARE_METATYPE(TrialOf)

namespace {

/// Five seconds after the trial before it.
Measurement calm(JudgedTrials& trials, std::int64_t size, double factor = 1.0)
{
    return trials.trial(size, factor * (0.05 + 0.001 * static_cast<double>(size)));
}

} // namespace

class InstabilityTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheCause_data()
    {
        QTest::addColumn<TrialOf>("trialOf");
        QTest::addColumn<Cause>("cause");
        const auto row = [](const char* name, const TrialOf& trialOf, Cause cause) {
            QTest::newRow(name) << trialOf << cause;
        };
        row(
            "calm", [](JudgedTrials& trials, std::int64_t size, int) { return calm(trials, size); },
            Cause::None);
        row(
            "every second trial slower by a third",
            [](JudgedTrials& trials, std::int64_t size, int round) {
                return calm(trials, size, round % 2 == 0 ? 1.0 : 1.33);
            },
            Cause::Noise);
        row(
            "steps that differ by 30 %",
            [](JudgedTrials& trials, std::int64_t size, int) {
                Measurement trial = calm(trials, size);
                const double seconds = trial.secondsPerStep;
                trial.stepSeconds = {0.6 * seconds, 0.85 * seconds, seconds, 1.2 * seconds, 1.5 * seconds};
                return trial;
            },
            Cause::Noise);
        row(
            "ever slower",
            [](JudgedTrials& trials, std::int64_t size, int) {
                Measurement trial = calm(trials, size);
                const double factor = std::exp(0.006 * trial.clockSeconds);
                return calm(trials, size, factor);
            },
            Cause::Drift);
        row(
            "every third disturbed",
            [](JudgedTrials& trials, std::int64_t size, int round) {
                Measurement trial = calm(trials, size, round % 2 == 0 ? 2.0 : 1.0);
                trial.disturbed = round % 2 == 0;
                return trial;
            },
            Cause::OtherTenants);
    }
    void findsTheCause()
    {
        QFETCH(TrialOf, trialOf);
        QFETCH(Cause, cause);
        JudgedTrials trials;
        // Each size twice in a row, and again twenty seconds later.
        for (int round = 0; round < 6; round += 2) {
            for (const std::int64_t size : {8, 64, 256, 400}) {
                trials.record(trialOf(trials, size, round));
                trials.record(trialOf(trials, size, round + 1));
            }
        }
        const Judgement judgement = trials.judge();
        QCOMPARE(judgement.instability.cause, cause);
        QCOMPARE(judgement.instability.size > 0.0, cause != Cause::None);
        QCOMPARE(judgement.probability < 0.7, cause != Cause::None);
    }

    void isGraveBySeveralTolerances_data()
    {
        QTest::addColumn<Instability>("instability");
        QTest::addColumn<bool>("isGrave");
        QTest::newRow("none") << Instability{} << false;
        QTest::newRow("drift") << Instability{.cause = Cause::Drift, .size = 0.08} << true;
        QTest::newRow("tenants") << Instability{.cause = Cause::OtherTenants, .size = 0.34} << true;
        QTest::newRow("some noise") << Instability{.cause = Cause::Noise, .size = 0.03} << false;
        QTest::newRow("much noise") << Instability{.cause = Cause::Noise, .size = 0.1} << true;
    }
    void isGraveBySeveralTolerances()
    {
        QFETCH(Instability, instability);
        QFETCH(bool, isGrave);
        QCOMPARE(batchpeak::search::isGrave(instability, 0.02), isGrave);
    }

    /// One trial tells nothing of the device.
    void doubtsNothingAtFirst()
    {
        JudgedTrials trials;
        Measurement disturbed = calm(trials, 8);
        disturbed.disturbed = true;
        trials.record(disturbed);
        trials.record(calm(trials, 64));
        QCOMPARE(trials.judge().instability.cause, Cause::None);
    }
};

BATCHPEAK_TEST(InstabilityTest)
#include "tst_instability.moc"
