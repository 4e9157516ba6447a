// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/trial_repeater.h"
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

Q_DECLARE_METATYPE(std::vector<batchpeak::engine::TrialReading>)

class TrialRepeaterTest : public QObject
{
    Q_OBJECT

private slots:
    void choosesWhatCounts_data()
    {
        QTest::addColumn<std::vector<TrialReading>>("readings");
        QTest::addColumn<int>("counted");
        const auto row = [](const char* name, std::vector<TrialReading> readings, int counted) {
            QTest::newRow(name) << std::move(readings) << counted;
        };
        row("calm", {calm(1)}, 1);
        row("calm at last", {disturbed(1), calm(2)}, 2);
        row("calm at last, though slower", {disturbed(1, 1.0), calm(2, 1.5)}, 2);
        row("calm at the third", {disturbed(1), disturbed(2), calm(3)}, 3);
        row("never calm: the fastest", {disturbed(1, 1.3), disturbed(2, 1.1), disturbed(3, 1.2)}, 2);
        row("out of memory", {ended(1, Outcome::OutOfMemory)}, 1);
        row("out of memory when repeated", {disturbed(1), ended(2, Outcome::OutOfMemory)}, 2);
        row("lost", {ended(1, Outcome::Crashed)}, 1);
        row("lost when repeated", {disturbed(1, 1.3), disturbed(2, 1.1), ended(3, Outcome::Crashed)}, 2);
        row("abandoned", {with(disturbed(1), &Measurement::abandoned)}, 1);
        row("abandoned when repeated", {disturbed(1, 1.0), with(disturbed(2, 2.0), &Measurement::abandoned)},
            1);
        row("thrashes", {with(disturbed(1), &Measurement::thrashes)}, 1);
        row("thrashes when repeated", {disturbed(1), with(disturbed(2, 2.0), &Measurement::thrashes)}, 2);
    }
    void choosesWhatCounts()
    {
        QFETCH(std::vector<TrialReading>, readings);
        QFETCH(int, counted);
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

    void losesItsPatience_data()
    {
        QTest::addColumn<bool>("isCalmBetween");
        QTest::newRow("never calm") << false;
        QTest::newRow("calm once") << true;
    }
    void losesItsPatience()
    {
        QFETCH(bool, isCalmBetween);
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
