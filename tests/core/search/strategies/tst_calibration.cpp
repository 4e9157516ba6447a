// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/calibration.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

class CalibrationTest : public QObject
{
    Q_OBJECT

private slots:
    void isTheFittedMap_data()
    {
        QTest::addColumn<double>("tolerance");
        QTest::addColumn<bool>("divisorsOnly");
        QTest::addColumn<bool>("severalDevices");
        QTest::addColumn<double>("logit");
        // intercept + slope ln 3 + growth ln 2, for a share of 0.75 and 16 trials.
        const auto row = [](const char* name, double tolerance, bool divisors, bool several, double a,
                            double b, double c) {
            QTest::newRow(name) << tolerance << divisors << several
                                << a + b * std::log(3.0) + c * std::log(2.0);
        };
        row("2 %", 0.02, false, false, 1.532, 0.393, 1.225);
        row("5 %", 0.05, false, false, 2.117, 0.389, 1.558);
        row("tighter than any", 0.001, false, false, 0.485, 0.382, 0.157);
        row("looser than any", 0.2, false, false, 2.117, 0.389, 1.558);
        row("half way in the logarithm", std::sqrt(0.01 * 0.02), false, false, (0.909 + 1.532) / 2.0,
            (0.372 + 0.393) / 2.0, (0.476 + 1.225) / 2.0);
        row("divisors", 0.02, true, false, 1.761, 0.771, 1.258);
        row("divisors at 5 %", 0.05, true, false, 1.199, 0.754, 0.629);
        row("several devices", 0.02, false, true, 0.903, 0.488, 0.814);
        row("several devices at 5 %", 0.05, false, true, 0.903 + 2.117 - 1.532, 0.488 * 0.389 / 0.393, 0.814);
    }
    void isTheFittedMap()
    {
        QFETCH(double, tolerance);
        QFETCH(bool, divisorsOnly);
        QFETCH(bool, severalDevices);
        QFETCH(double, logit);
        const double p = calibratedProbability({tolerance, divisorsOnly, severalDevices}, 0.75, 16);
        QVERIFY2(std::abs(std::log(p / (1.0 - p)) - logit) < 1e-9, std::to_string(p).c_str());
    }

    void growsWithTheShareAndNeverReachesCertainty()
    {
        double before = 0.0;
        for (const double share : {0.0, 0.1, 0.5, 0.9, 0.99}) {
            const double p = calibratedProbability({}, share, 10);
            QVERIFY(p > before && p < 1.0);
            before = p;
        }
        QCOMPARE(calibratedProbability({}, 1.0, 10), calibratedProbability({}, 0.995, 10));
    }
};

BATCHPEAK_TEST(CalibrationTest)
#include "tst_calibration.moc"
