// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/calibration.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

namespace {

/// A case, and the coefficients of its map.
struct Mapped
{
    CalibrationCase situation;
    double intercept;
    double slope;
    double growth;
};

} // namespace

class CalibrationTest : public QObject
{
    Q_OBJECT

private slots:
    void isTheFittedMap_data()
    {
        rows<Mapped>({
            {"2 %", {{.tolerance = 0.02}, 1.532, 0.393, 1.225}},
            {"5 %", {{.tolerance = 0.05}, 2.117, 0.389, 1.558}},
            {"tighter than any", {{.tolerance = 0.001}, 0.485, 0.382, 0.157}},
            {"looser than any", {{.tolerance = 0.2}, 2.117, 0.389, 1.558}},
            {"half way in the logarithm",
             {{.tolerance = std::sqrt(0.01 * 0.02)},
              (0.909 + 1.532) / 2.0,
              (0.372 + 0.393) / 2.0,
              (0.476 + 1.225) / 2.0}},
            {"divisors", {{.tolerance = 0.02, .divisorsOnly = true}, 1.761, 0.771, 1.258}},
            {"divisors at 5 %", {{.tolerance = 0.05, .divisorsOnly = true}, 1.199, 0.754, 0.629}},
            {"several devices", {{.tolerance = 0.02, .severalDevices = true}, 0.903, 0.488, 0.814}},
            {"several devices at 5 %",
             {{.tolerance = 0.05, .severalDevices = true},
              0.903 + 2.117 - 1.532,
              0.488 * 0.389 / 0.393,
              0.814}},
        });
    }
    void isTheFittedMap()
    {
        const auto& [situation, intercept, slope, growth] = row<Mapped>();
        const double logit = intercept + slope * std::log(3.0) + growth * std::log(2.0);
        const double p = calibratedProbability(situation, 0.75, 16);
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
