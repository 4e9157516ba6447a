// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
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
    void refusesInvalidTimes_data()
    {
        rows<std::vector<double>>(
            {{"no step", {}},
             {"zero", std::vector{0.1, 0.0}},
             {"negative", std::vector{0.1, -0.1}},
             {"not a number", std::vector{0.1, std::numeric_limits<double>::quiet_NaN()}}});
    }
    void refusesInvalidTimes()
    {
        const auto& seconds = row<std::vector<double>>();
        QVERIFY(!typicalStepSeconds(seconds));
    }

    void returnsTheMeanOfTheMiddle_data()
    {
        rows<std::vector<double>, double>(
            {{"one step", {std::vector{0.3}, 0.3}},
             {"two steps", {std::vector{0.2, 0.4}, 0.3}},
             {"three, one stalled", {std::vector{9.0, 0.1, 0.2}, 0.2}},
             {"ten, one stalled", {std::vector{0.1, 0.1, 0.1, 5.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.1}},
             {"order does not matter", {std::vector{0.5, 0.1, 0.3, 0.2, 0.4}, 0.3}}});
    }
    void returnsTheMeanOfTheMiddle()
    {
        const auto& [seconds, expected] = row<std::vector<double>, double>();
        QCOMPARE(*typicalStepSeconds(seconds), expected);
    }

    // The expected values were computed by the same formula with the normal quantile of Python's statistics
    // module.
    void reportsItsError_data()
    {
        rows<std::vector<double>, double>(
            {{"all equal", {std::vector{0.1, 0.1, 0.1}, 0.0}},
             {"five steps", {std::vector{0.98, 0.99, 1.0, 1.01, 1.02}, 0.012720329969990125}},
             {"ten, one stalled",
              {std::vector{1.0, 1.01, 1.02, 0.99, 0.98, 1.03, 0.97, 1.04, 0.96, 5.0}, 0.01697332521205524}}});
    }
    void reportsItsError()
    {
        const auto& [seconds, expected] = row<std::vector<double>, double>();
        const auto error = relativeStandardError(seconds);
        QVERIFY(error);
        QVERIFY2(std::abs(*error - expected) < 1e-12, qPrintable(QString::number(*error, 'g', 17)));
    }

    void reportsNoErrorOfTooFewSteps_data()
    {
        rows<std::vector<double>>({{"no step", {}},
                                   {"two steps", std::vector{0.1, 0.2}},
                                   {"one is no time", std::vector{0.1, 0.2, 0.0, 0.1}}});
    }
    void reportsNoErrorOfTooFewSteps()
    {
        const auto& seconds = row<std::vector<double>>();
        QVERIFY(!relativeStandardError(seconds));
    }
};

BATCHPEAK_TEST(StepStatisticsTest)
#include "tst_step_statistics.moc"
