// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "training/confirmation_schedule.h"

#include <QTest>

using batchpeak::training::ConfirmationSchedule;

namespace {

/// Returns the steps as letters, timed ones in upper case, such as "aaaABbB".
QString stepsOf(ConfirmationSchedule& schedule, int max = 1000)
{
    QString steps;
    for (int i = 0; i < max; ++i) {
        const auto step = schedule.next();
        if (!step)
            break;
        const char letter = static_cast<char>((step->isTimed ? 'A' : 'a') + static_cast<char>(step->size));
        steps += QLatin1Char(letter);
        schedule.take(0.1);
    }
    return steps;
}

} // namespace

class ConfirmationScheduleTest : public QObject
{
    Q_OBJECT

private slots:
    void interleavesSizes_data()
    {
        rows<int, int, Text>({{"two sizes", {2, 8, "aaaAAbbbBBBBaAAAAbBBBBaAA"}},
                              {"few steps", {2, 2, "aaaAbbbBBaA"}},
                              {"one step", {2, 1, "aaaAbbbB"}},
                              {"steps that blocks cannot share alike", {2, 5, "aaaAbbbBBaAAbBBBaAA"}},
                              {"one size", {1, 6, "aaaAAAAAA"}},
                              {"none", {0, 6, ""}}});
    }
    void interleavesSizes()
    {
        const auto& [sizes, steps, order] = row<int, int, Text>();
        ConfirmationSchedule schedule(static_cast<std::size_t>(sizes), steps);
        QCOMPARE(schedule.stepsInAll(), sizes * steps);
        QCOMPARE(stepsOf(schedule), order);
        QCOMPARE(schedule.stepsDone(), sizes * steps);
        QCOMPARE(schedule.stepsInAll(), sizes * steps);
    }

    void distributesDriftEqually()
    {
        ConfirmationSchedule schedule(2, 20);
        double places[2] = {0.0, 0.0};
        int timed = 0;
        while (const auto step = schedule.next()) {
            if (step->isTimed)
                places[step->size] += ++timed;
            schedule.take(0.1);
        }
        QCOMPARE(places[0], places[1]);
    }

    void warmsUpUntilStepsAgree()
    {
        ConfirmationSchedule schedule(1, 4);
        for (const double seconds : {0.3, 0.2, 0.1}) {
            QVERIFY(!schedule.next()->isTimed);
            schedule.take(seconds);
        }
        QVERIFY(!schedule.next()->isTimed);
        schedule.take(0.101);
        QVERIFY(schedule.next()->isTimed);
        QCOMPARE(schedule.stepsDone(), 0);
    }

    void continuesWithoutADroppedSize_data()
    {
        rows<int, int, int, Text>({{"at its first step", {0, 0, 4, "bbbBBBB"}},
                                   {"at its first timed step", {3, 0, 4, "bbbBBBB"}},
                                   {"the other one, at its first step", {4, 1, 4, "aAAA"}},
                                   {"when it has come back", {10, 0, 5, "bBB"}}});
    }
    void continuesWithoutADroppedSize()
    {
        const auto& [before, dropped, stepsDone, after] = row<int, int, int, Text>();
        ConfirmationSchedule schedule(2, 4);
        stepsOf(schedule, before);
        QCOMPARE(static_cast<int>(schedule.next()->size), dropped);
        schedule.drop(static_cast<std::size_t>(dropped));
        QCOMPARE(schedule.stepsInAll(), stepsDone);
        QCOMPARE(stepsOf(schedule), after);
        QCOMPARE(schedule.stepsDone(), stepsDone);
    }

    void endsWithoutAnySize()
    {
        ConfirmationSchedule schedule(1, 4);
        schedule.drop(0);
        QVERIFY(!schedule.next());
        QCOMPARE(schedule.stepsInAll(), 0);
    }
};

BATCHPEAK_TEST(ConfirmationScheduleTest)
#include "tst_confirmation_schedule.moc"
