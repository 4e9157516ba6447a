// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/random_source.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

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

    void resamplesInProportionToTheWeights()
    {
        const std::vector<double> logWeights{std::log(0.5), std::log(0.3), -HUGE_VAL, std::log(0.2)};
        RandomSource random(1);
        for (int repetition = 0; repetition < 20; ++repetition) {
            const auto chosen = resampleSystematically(logWeights, 25, random);
            const std::vector<double> expected{12.5, 7.5, 0.0, 5.0};
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const auto count = static_cast<double>(std::ranges::count(chosen, i));
                QVERIFY(count >= std::floor(expected[i]) && count <= std::ceil(expected[i]));
            }
        }
    }
};

BATCHPEAK_TEST(RandomSourceTest)
#include "tst_random_source.moc"
