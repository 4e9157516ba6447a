// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategies/calibration.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::search;

class CalibrationTest : public QObject
{
    Q_OBJECT

private slots:
    void weighsTheEvidenceForASize_data()
    {
        rows<CalibrationCase, std::size_t, double>({
            {"share", {{.share = 0.75}, 1, std::log(3.0)}},
            {"no share at all", {{.share = 0.0}, 1, std::log(0.0025 / 0.9975)}},
            {"all of them", {{.share = 1.0}, 1, std::log(0.9975 / 0.0025)}},
            {"a tighter tolerance", {{.tolerance = 0.01}, 2, std::log(0.5)}},
            {"several devices", {{.severalDevices = true}, 3, 1.0}},
        });
    }
    void weighsTheEvidenceForASize()
    {
        const auto& [situation, term, value] = row<CalibrationCase, std::size_t, double>();
        const CalibrationTerms terms = calibrationTerms(situation);
        QVERIFY2(std::abs(terms.at(term) - value) < 1e-9, std::to_string(terms.at(term)).c_str());
        QCOMPARE(terms[0], 1.0);
        double logit = 0.0;
        for (std::size_t i = 0; i < terms.size(); ++i)
            logit += terms.at(i) * calibrationWeights().at(i);
        const double p = calibratedProbability(situation);
        QVERIFY2(std::abs(std::log(p / (1.0 - p)) - logit) < 1e-9, std::to_string(p).c_str());
    }

    void growsWithTheShareAndNeverReachesCertainty()
    {
        double before = 0.0;
        for (const double share : {0.0, 0.1, 0.5, 0.9, 0.99}) {
            const double p = calibratedProbability({.share = share});
            QVERIFY(p > before && p < 1.0);
            before = p;
        }
    }

    /// A share that jumps is adopted in part, and fully once it stays.
    void steadiesTheShare()
    {
        QCOMPARE(steadied(0.7, std::nullopt), 0.7);
        QVERIFY(std::abs(steadied(0.7, 0.7) - 0.7) < 1e-9);
        const double jumped = steadied(0.95, 0.5);
        QVERIFY(jumped > 0.7 && jumped < 0.95);
        double share = 0.5;
        for (int trial = 0; trial < 8; ++trial)
            share = steadied(0.95, share);
        QVERIFY(std::abs(share - 0.95) < 0.001);
        QVERIFY(steadied(1.0, 1.0) < 1.0);
    }

    void expectsLessLossThanThePaths() { QVERIFY(calibratedLoss(0.01) > 0.0 && calibratedLoss(0.01) < 0.01); }
};

BATCHPEAK_TEST(CalibrationTest)
#include "tst_calibration.moc"
