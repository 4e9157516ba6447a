// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/systematic_resampling.h"
#include "support/test_main.h"

#include "search/random_source.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;

class SystematicResamplingTest : public QObject
{
    Q_OBJECT

private slots:
    void everyWeightGetsItsShare()
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

BATCHPEAK_TEST(SystematicResamplingTest)
#include "tst_systematic_resampling.moc"
