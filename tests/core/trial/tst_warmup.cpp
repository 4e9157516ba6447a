// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
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
        QTest::addColumn<std::vector<double>>("seconds");
        QTest::addColumn<double>("timeLimit");
        QTest::addColumn<bool>("isOver");
        QTest::newRow("no step") << std::vector<double>{} << 60.0 << false;
        QTest::newRow("one step") << std::vector{0.1} << 60.0 << false;
        QTest::newRow("the first is not one of the two") << std::vector{0.1, 0.1} << 60.0 << false;
        QTest::newRow("two after the first agree") << std::vector{0.9, 0.1, 0.1} << 60.0 << true;
        QTest::newRow("within 3 percent") << std::vector{0.9, 0.100, 0.1029} << 60.0 << true;
        QTest::newRow("beyond 3 percent") << std::vector{0.9, 0.100, 0.1031} << 60.0 << false;
        QTest::newRow("faster by more than 3 percent") << std::vector{0.9, 0.1031, 0.100} << 60.0 << false;
        QTest::newRow("earlier ones do not matter") << std::vector{0.9, 0.5, 0.1, 0.1} << 60.0 << true;
        QTest::newRow("successive ones must agree") << std::vector{0.9, 0.1, 0.5, 0.1} << 60.0 << false;
        QTest::newRow("five are enough") << std::vector{0.1, 0.2, 0.1, 0.2, 0.1} << 60.0 << true;
        QTest::newRow("a fifth of the time is enough") << std::vector{6.0, 6.0} << 60.0 << true;
        QTest::newRow("but two steps are taken") << std::vector{30.0} << 60.0 << false;
    }
    void endsWhenStepsAgree()
    {
        QFETCH(std::vector<double>, seconds);
        QFETCH(double, timeLimit);
        QFETCH(bool, isOver);
        QCOMPARE(isWarm(seconds, timeLimit), isOver);
    }
};

BATCHPEAK_TEST(WarmupTest)
#include "tst_warmup.moc"
