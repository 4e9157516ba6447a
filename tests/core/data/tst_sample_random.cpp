// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/sample_random.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <vector>

using namespace batchpeak::data;

class SampleRandomTest : public QObject
{
    Q_OBJECT

private:
    static std::vector<std::int64_t> orderOf(const SampleOrder& order, std::int64_t epoch,
                                             std::int64_t samples)
    {
        std::vector<std::int64_t> all;
        for (std::int64_t place = 0; place < samples; ++place)
            all.push_back(order.at(epoch, place));
        return all;
    }

private slots:
    // Expected orders are from a Python implementation of seed_seq and mt19937_64 as the standard defines
    // them.
    void isTheSameEverywhere_data()
    {
        rows<quint64, qint64, QList<qint64>>(
            {{"seed 0, epoch 0, of 8", {0, 0, {0, 7, 5, 6, 1, 3, 2, 4}}},
             {"seed 42, epoch 0, of 8", {42, 0, {7, 2, 4, 5, 1, 0, 3, 6}}},
             {"seed 42, epoch 1, of 8", {42, 1, {3, 4, 1, 2, 5, 0, 7, 6}}},
             {"seed 1099511627783, epoch 3, of 8", {1099511627783, 3, {1, 2, 7, 0, 5, 3, 4, 6}}},
             {"seed 42, epoch 0, of 1", {42, 0, {0}}}});
    }
    void isTheSameEverywhere()
    {
        const auto& [seed, epoch, expected] = row<quint64, qint64, QList<qint64>>();
        const SampleOrder order(expected.size(), seed);
        for (qint64 place = 0; place < expected.size(); ++place)
            QCOMPARE(order.at(epoch, place), expected[place]);
    }

    void usesEachSampleOnce()
    {
        const SampleOrder order(1000, 3);
        for (const std::int64_t epoch : {0, 1, 7}) {
            std::vector<std::int64_t> sorted = orderOf(order, epoch, 1000);
            std::ranges::sort(sorted);
            for (std::int64_t i = 0; i < 1000; ++i)
                QCOMPARE(sorted[static_cast<std::size_t>(i)], i);
        }
    }

    void dependsOnlyOnSeedAndEpoch()
    {
        const SampleOrder order(100, 3);
        const std::vector<std::int64_t> first = orderOf(order, 0, 100);
        QVERIFY(orderOf(order, 1, 100) != first);
        QVERIFY(orderOf(SampleOrder(100, 4), 0, 100) != first);
        // The order of an epoch does not depend on earlier calls, as a resumed run makes none.
        QVERIFY(orderOf(order, 0, 100) == first);
        QVERIFY(orderOf(SampleOrder(100, 3), 0, 100) == first);
    }

    void movesMostSamples()
    {
        const std::vector<std::int64_t> order = orderOf(SampleOrder(1000, 9), 2, 1000);
        std::int64_t inPlace = 0;
        for (std::size_t i = 0; i < order.size(); ++i)
            inPlace += order[i] == static_cast<std::int64_t>(i) ? 1 : 0;
        QVERIFY(inPlace < 10);
    }
};

BATCHPEAK_TEST(SampleRandomTest)
#include "tst_sample_random.moc"
