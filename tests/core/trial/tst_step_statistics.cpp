// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "trial/step_statistics.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <vector>

using batchpeak::trial::relativeStandardError;
using batchpeak::trial::typicalStepSeconds;

class StepStatisticsTest : public QObject
{
    Q_OBJECT

private slots:
    void refusesWhatIsNoTime_data()
    {
        QTest::addColumn<std::vector<double>>("seconds");
        QTest::newRow("no step") << std::vector<double>{};
        QTest::newRow("zero") << std::vector{0.1, 0.0};
        QTest::newRow("negative") << std::vector{0.1, -0.1};
        QTest::newRow("not a number") << std::vector{0.1, std::numeric_limits<double>::quiet_NaN()};
    }
    void refusesWhatIsNoTime()
    {
        QFETCH(std::vector<double>, seconds);
        QVERIFY(!typicalStepSeconds(seconds));
    }

    void isTheMeanOfTheMiddle_data()
    {
        QTest::addColumn<std::vector<double>>("seconds");
        QTest::addColumn<double>("expected");
        QTest::newRow("one step") << std::vector{0.3} << 0.3;
        QTest::newRow("two steps") << std::vector{0.2, 0.4} << 0.3;
        QTest::newRow("three, one stalled") << std::vector{9.0, 0.1, 0.2} << 0.2;
        QTest::newRow("ten, one stalled")
            << std::vector{0.1, 0.1, 0.1, 5.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1} << 0.1;
        QTest::newRow("order does not matter") << std::vector{0.5, 0.1, 0.3, 0.2, 0.4} << 0.3;
    }
    void isTheMeanOfTheMiddle()
    {
        QFETCH(std::vector<double>, seconds);
        QFETCH(double, expected);
        QCOMPARE(*typicalStepSeconds(seconds), expected);
    }

    // Expected values: the formula, evaluated with the normal quantile of Python's statistics module.
    void tellsItsError_data()
    {
        QTest::addColumn<std::vector<double>>("seconds");
        QTest::addColumn<double>("expected");
        QTest::newRow("all equal") << std::vector{0.1, 0.1, 0.1} << 0.0;
        QTest::newRow("five steps") << std::vector{0.98, 0.99, 1.0, 1.01, 1.02} << 0.012720329969990125;
        QTest::newRow("ten, one stalled")
            << std::vector{1.0, 1.01, 1.02, 0.99, 0.98, 1.03, 0.97, 1.04, 0.96, 5.0} << 0.01697332521205524;
    }
    void tellsItsError()
    {
        QFETCH(std::vector<double>, seconds);
        QFETCH(double, expected);
        const auto error = relativeStandardError(seconds);
        QVERIFY(error);
        QVERIFY2(std::abs(*error - expected) < 1e-12, qPrintable(QString::number(*error, 'g', 17)));
    }

    void tellsNoErrorOfTooFewSteps_data()
    {
        QTest::addColumn<std::vector<double>>("seconds");
        QTest::newRow("no step") << std::vector<double>{};
        QTest::newRow("two steps") << std::vector{0.1, 0.2};
        QTest::newRow("one is no time") << std::vector{0.1, 0.2, 0.0, 0.1};
    }
    void tellsNoErrorOfTooFewSteps()
    {
        QFETCH(std::vector<double>, seconds);
        QVERIFY(!relativeStandardError(seconds));
    }
};

BATCHPEAK_TEST(StepStatisticsTest)
#include "tst_step_statistics.moc"
