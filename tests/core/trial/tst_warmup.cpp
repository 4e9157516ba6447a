// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "trial/step_statistics.h"

#include <QTest>

#include <vector>

using batchpeak::trial::isWarm;

class WarmupTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWhenStepsAgree_data()
    {
        rows<std::vector<double>, double, bool>(
            {{"no step", {{}, 60.0, false}},
             {"one step", {std::vector{0.1}, 60.0, false}},
             {"the first is not one of the two", {std::vector{0.1, 0.1}, 60.0, false}},
             {"two after the first agree", {std::vector{0.9, 0.1, 0.1}, 60.0, true}},
             {"within 3 percent", {std::vector{0.9, 0.100, 0.1029}, 60.0, true}},
             {"beyond 3 percent", {std::vector{0.9, 0.100, 0.1031}, 60.0, false}},
             {"faster by more than 3 percent", {std::vector{0.9, 0.1031, 0.100}, 60.0, false}},
             {"earlier ones do not matter", {std::vector{0.9, 0.5, 0.1, 0.1}, 60.0, true}},
             {"successive ones must agree", {std::vector{0.9, 0.1, 0.5, 0.1}, 60.0, false}},
             {"five are enough", {std::vector{0.1, 0.2, 0.1, 0.2, 0.1}, 60.0, true}},
             {"two seconds are enough", {std::vector{3.0, 0.9, 1.1}, 600.0, true}},
             {"the first does not count towards two seconds", {std::vector{3.0, 1.9}, 600.0, false}},
             {"a fifth of the time is enough", {std::vector{6.0, 6.0}, 60.0, true}},
             {"at least two steps are taken", {std::vector{30.0}, 60.0, false}}});
    }
    void endsWhenStepsAgree()
    {
        const auto& [seconds, timeLimit, isOver] = row<std::vector<double>, double, bool>();
        QCOMPARE(isWarm(seconds, timeLimit), isOver);
    }
};

BATCHPEAK_TEST(WarmupTest)
#include "tst_warmup.moc"
