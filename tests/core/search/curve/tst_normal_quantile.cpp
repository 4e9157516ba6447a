// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/curve/normal_quantile.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <numbers>

using batchpeak::search::normalQuantile;

class NormalQuantileTest : public QObject
{
    Q_OBJECT

private slots:
    void undoesTheDistribution_data()
    {
        QTest::addColumn<double>("probability");
        for (const double probability :
             {1e-12, 1e-6, 0.001, 0.07, 0.0751, 0.3, 0.5, 0.6, 0.925, 0.99, 1.0 - 1e-6})
            QTest::addRow("%g", probability) << probability;
    }
    void undoesTheDistribution()
    {
        QFETCH(double, probability);
        const double back = 0.5 * std::erfc(-normalQuantile(probability) / std::numbers::sqrt2);
        QVERIFY2(std::abs(back / probability - 1.0) < 1e-12, std::to_string(back).c_str());
    }

    void isOdd() { QVERIFY(std::abs(normalQuantile(0.2) + normalQuantile(0.8)) < 1e-14); }
};

BATCHPEAK_TEST(NormalQuantileTest)
#include "tst_normal_quantile.moc"
