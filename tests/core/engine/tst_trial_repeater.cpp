// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trial_repeater.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <vector>

using namespace batchpeak;
using batchpeak::trial::Outcome;
using engine::TrialReading;
using engine::TrialRepeater;
using search::Measurement;

namespace {

TrialReading calm(int number, double seconds = 1.0)
{
    return {.trial = {.number = number},
            .measurement = {.size = 8, .outcome = Outcome::Ok, .secondsPerStep = seconds}};
}

TrialReading disturbed(int number, double seconds = 1.0)
{
    TrialReading reading = calm(number, seconds);
    reading.measurement.disturbed = true;
    return reading;
}

TrialReading with(TrialReading reading, bool Measurement::*mark)
{
    reading.measurement.*mark = true;
    return reading;
}

TrialReading ended(int number, Outcome outcome)
{
    return {.trial = {.number = number}, .measurement = {.size = 8, .outcome = outcome}};
}

} // namespace

class TrialRepeaterTest : public QObject
{
    Q_OBJECT

private slots:
    void choosesWhatCounts_data()
    {
        rows<std::vector<TrialReading>, int>({
            {"calm", {{calm(1)}, 1}},
            {"calm at last", {{disturbed(1), calm(2)}, 2}},
            {"calm at last, though slower", {{disturbed(1, 1.0), calm(2, 1.5)}, 2}},
            {"calm at the third", {{disturbed(1), disturbed(2), calm(3)}, 3}},
            {"never calm: the fastest", {{disturbed(1, 1.3), disturbed(2, 1.1), disturbed(3, 1.2)}, 2}},
            {"out of memory", {{ended(1, Outcome::OutOfMemory)}, 1}},
            {"out of memory when repeated", {{disturbed(1), ended(2, Outcome::OutOfMemory)}, 2}},
            {"lost", {{ended(1, Outcome::Crashed)}, 1}},
            {"lost when repeated", {{disturbed(1, 1.3), disturbed(2, 1.1), ended(3, Outcome::Crashed)}, 2}},
            {"abandoned", {{with(disturbed(1), &Measurement::abandoned)}, 1}},
            {"abandoned when repeated",
             {{disturbed(1, 1.0), with(disturbed(2, 2.0), &Measurement::abandoned)}, 1}},
            {"thrashes", {{with(disturbed(1), &Measurement::thrashes)}, 1}},
            {"thrashes when repeated", {{disturbed(1), with(disturbed(2, 2.0), &Measurement::thrashes)}, 2}},
        });
    }
    void choosesWhatCounts()
    {
        const auto& [readings, counted] = row<std::vector<TrialReading>, int>();
        TrialRepeater repeater;
        for (std::size_t i = 0; i < readings.size(); ++i) {
            QCOMPARE(repeater.repetition(), static_cast<int>(i));
            const auto found = repeater.trialEnded(readings[i], true);
            QCOMPARE(found.has_value(), i + 1 == readings.size());
            if (!found)
                continue;
            QCOMPARE(found->trial.number, counted);
            QCOMPARE(found->measurement.discardedTrials, static_cast<int>(i));
        }
        QCOMPARE(repeater.repetition(), 0);
        QVERIFY(!repeater.giveUp());
    }

    void repeatsNothingWithoutRoom()
    {
        TrialRepeater repeater;
        QCOMPARE(repeater.trialEnded(disturbed(1), false)->trial.number, 1);
        QVERIFY(!repeater.trialEnded(disturbed(2), true));
        const auto counted = repeater.trialEnded(disturbed(3), false);
        QCOMPARE(counted->trial.number, 2);
        QCOMPARE(counted->measurement.discardedTrials, 1);
        QVERIFY(!repeater.hasLostPatience());
    }

    void countsWhatItHasWhenNothingComes()
    {
        TrialRepeater repeater;
        repeater.trialEnded(disturbed(1, 1.2), true);
        repeater.trialEnded(disturbed(2, 1.1), true);
        QCOMPARE(repeater.giveUp()->trial.number, 2);
        QVERIFY(!repeater.giveUp());
    }

    void losesItsPatience_data() { rows<bool>({{"never calm", false}, {"calm once", true}}); }
    void losesItsPatience()
    {
        const auto& isCalmBetween = row<bool>();
        TrialRepeater repeater;
        for (int trial = 1; trial <= TrialRepeater::mostHopelessTrials; ++trial) {
            QVERIFY(!repeater.hasLostPatience());
            if (isCalmBetween && trial == TrialRepeater::mostHopelessTrials)
                repeater.trialEnded(calm(0), true);
            for (int i = 0; i < TrialRepeater::mostRepetitions; ++i)
                QVERIFY(!repeater.trialEnded(disturbed(i), true));
            QVERIFY(repeater.trialEnded(disturbed(9), true));
        }
        QCOMPARE(repeater.hasLostPatience(), !isCalmBetween);
        QCOMPARE(repeater.trialEnded(disturbed(1), true).has_value(), !isCalmBetween);
    }
};

BATCHPEAK_TEST(TrialRepeaterTest)
#include "tst_trial_repeater.moc"
