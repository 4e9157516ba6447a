// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/trial_repeater.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <string>
#include <vector>

using namespace batchpeak;
using batchpeak::trial::Outcome;
using engine::TrialRepeater;
using search::Measurement;

namespace {

const Measurement calm{.size = 8, .outcome = Outcome::Ok, .secondsPerStep = 1.0};
const Measurement disturbed{.size = 8, .outcome = Outcome::Ok, .secondsPerStep = 1.0, .disturbed = true};

Measurement disturbedAnd(bool Measurement::*mark)
{
    Measurement measurement = disturbed;
    measurement.*mark = true;
    return measurement;
}

Measurement disturbedByLoad(double contention)
{
    Measurement measurement = disturbed;
    measurement.contention = contention;
    return measurement;
}

Measurement ended(Outcome outcome)
{
    return {.size = 8, .outcome = outcome};
}

} // namespace

class TrialRepeaterTest : public QObject
{
    Q_OBJECT

private slots:
    /// Every reading except the last one is repeated.
    void repeatsDisturbedTrials_data()
    {
        rows<std::vector<Measurement>>({
            {"calm", {calm}},
            {"calm at last", {disturbed, calm}},
            {"calm at the third", {disturbed, disturbed, calm}},
            {"never calm", {disturbed, disturbed, disturbed}},
            {"out of memory", {ended(Outcome::OutOfMemory)}},
            {"out of memory when repeated", {disturbed, ended(Outcome::OutOfMemory)}},
            {"lost", {ended(Outcome::Crashed)}},
            {"lost when repeated", {disturbed, disturbed, ended(Outcome::Crashed)}},
            {"abandoned", {disturbedAnd(&Measurement::abandoned)}},
            {"abandoned when repeated", {disturbed, disturbedAnd(&Measurement::abandoned)}},
            {"thrashes", {disturbedAnd(&Measurement::thrashes)}},
            {"thrashes when repeated", {disturbed, disturbedAnd(&Measurement::thrashes)}},
            {"disturbed by other programs", {disturbedByLoad(0.4)}},
            {"disturbed, but hardly by other programs", {disturbedByLoad(0.02), calm}},
        });
    }
    void repeatsDisturbedTrials()
    {
        const auto& readings = row<std::vector<Measurement>>();
        TrialRepeater repeater;
        for (std::size_t i = 0; i < readings.size(); ++i) {
            QCOMPARE(repeater.repetition(), static_cast<int>(i));
            QCOMPARE(repeater.trialEnded(readings[i], true), i + 1 < readings.size());
        }
        QCOMPARE(repeater.repetition(), 0);
    }

    void repeatsNothingWithoutRoom()
    {
        TrialRepeater repeater;
        QVERIFY(!repeater.trialEnded(disturbed, false));
        QVERIFY(repeater.trialEnded(disturbed, true));
        QVERIFY(!repeater.trialEnded(disturbed, false));
        QCOMPARE(repeater.repetition(), 0);
        QVERIFY(!repeater.hasLostPatience());
    }

    void startsAgainAfterGivingUp()
    {
        TrialRepeater repeater;
        QVERIFY(repeater.trialEnded(disturbed, true));
        repeater.giveUp();
        QCOMPARE(repeater.repetition(), 0);
    }

    /// The pattern of readings repeats; 1 is a disturbed reading.
    void losesItsPatience_data()
    {
        rows<std::string, bool>({{"never calm", {"1", true}},
                                 {"calm at every third", {"110", true}},
                                 {"calm at every second", {"10", false}},
                                 {"disturbed at every third", {"100", false}}});
    }
    void losesItsPatience()
    {
        const auto& [pattern, isLost] = row<std::string, bool>();
        TrialRepeater repeater;
        int repetitions = 0;
        for (std::size_t reading = 0; reading < 300; ++reading) {
            const bool isDisturbed = pattern[reading % pattern.size()] == '1';
            repetitions += repeater.trialEnded(isDisturbed ? disturbed : calm, true) ? 1 : 0;
        }
        QCOMPARE(repeater.hasLostPatience(), isLost);
        if (isLost)
            QVERIFY(repetitions < 6);
        else
            QVERIFY(repetitions > 90);
    }

    void regainsItsPatienceAfterCalmTrials()
    {
        TrialRepeater repeater;
        for (int reading = 0; reading < 20; ++reading)
            repeater.trialEnded(disturbed, true);
        QVERIFY(repeater.hasLostPatience());
        for (std::size_t reading = 0; reading < TrialRepeater::lastReadings / 2; ++reading)
            repeater.trialEnded(calm, true);
        QVERIFY(!repeater.hasLostPatience());
        QVERIFY(repeater.trialEnded(disturbed, true));
    }
};

BATCHPEAK_TEST(TrialRepeaterTest)
#include "tst_trial_repeater.moc"
