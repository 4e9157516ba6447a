// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/random_source.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using batchpeak::search::RandomSource;

class RandomSourceTest : public QObject
{
    Q_OBJECT

private slots:
    void repeatsItselfForOneSeedOnly()
    {
        RandomSource first(7);
        RandomSource same(7);
        RandomSource other(8);
        int differences = 0;
        for (int draw = 0; draw < 100; ++draw) {
            const std::uint64_t bits = first.bits();
            QCOMPARE(same.bits(), bits);
            differences += other.bits() != bits ? 1 : 0;
        }
        QCOMPARE(differences, 100);
    }

    void drawsUniformly()
    {
        RandomSource random(1);
        constexpr int draws = 20000;
        double sum = 0.0;
        for (int draw = 0; draw < draws; ++draw) {
            const double value = random.uniform();
            QVERIFY(value >= 0.0 && value < 1.0);
            sum += value;
        }
        QVERIFY(std::abs(sum / draws - 0.5) < 0.01);
    }

    void drawsNormally()
    {
        RandomSource random(1);
        constexpr int draws = 20000;
        double sum = 0.0;
        double squares = 0.0;
        int withinOne = 0;
        for (int draw = 0; draw < draws; ++draw) {
            const double value = random.normal();
            sum += value;
            squares += value * value;
            withinOne += std::abs(value) < 1.0 ? 1 : 0;
        }
        QVERIFY(std::abs(sum / draws) < 0.02);
        QVERIFY(std::abs(squares / draws - 1.0) < 0.03);
        QVERIFY(std::abs(withinOne / static_cast<double>(draws) - std::erf(std::sqrt(0.5))) < 0.01);
    }
};

BATCHPEAK_TEST(RandomSourceTest)
#include "tst_random_source.moc"
