// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/sample_random.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

using namespace batchpeak::data;

class SampleSplitTest : public QObject
{
    Q_OBJECT

private:
    static std::vector<std::int64_t> trainedIn(const SampleSplit& split)
    {
        std::vector<std::int64_t> samples;
        for (std::int64_t place = 0; place < split.trainingSamples(); ++place)
            samples.push_back(split.training(place));
        return samples;
    }
    static std::vector<std::int64_t> heldOutIn(const SampleSplit& split)
    {
        std::vector<std::int64_t> samples;
        for (std::int64_t place = 0; place < split.heldOutSamples(); ++place)
            samples.push_back(split.heldOut(place));
        return samples;
    }

private slots:
    void usesEachSampleOnce_data()
    {
        rows<qint64, qint64>({{"none", {10, 0}},
                              {"one", {10, 1}},
                              {"half", {10, 5}},
                              {"all but one", {10, 9}},
                              {"a share of many", {10000, 500}}});
    }
    void usesEachSampleOnce()
    {
        const auto& [samples, heldOut] = row<qint64, qint64>();
        const SampleSplit split(samples, heldOut, 42);
        QCOMPARE(split.heldOutSamples(), heldOut);
        std::vector<std::int64_t> all = trainedIn(split);
        QVERIFY(std::ranges::is_sorted(all));
        std::ranges::copy(heldOutIn(split), std::back_inserter(all));
        QCOMPARE(all.size(), static_cast<std::size_t>(samples));
        std::ranges::sort(all);
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(all[i], static_cast<std::int64_t>(i));
    }

    // Expected samples are from a Python implementation of SplitMix64, seed_seq and mt19937_64.
    void isTheSameEverywhere_data()
    {
        rows<quint64, QList<qint64>>({{"seed 0", {0, {14, 13, 18, 1, 19}}},
                                      {"seed 42", {42, {18, 5, 8, 2, 7}}},
                                      {"seed 1099511627783", {1099511627783, {13, 8, 16, 11, 15}}}});
    }
    void isTheSameEverywhere()
    {
        const auto& [seed, expected] = row<quint64, QList<qint64>>();
        const auto heldOut = heldOutIn(SampleSplit(20, 5, seed));
        QCOMPARE(QList<qint64>(heldOut.begin(), heldOut.end()), expected);
    }

    void dependsOnlyOnSeedAndCounts()
    {
        const auto heldOut = heldOutIn(SampleSplit(1000, 100, 3));
        QVERIFY(heldOutIn(SampleSplit(1000, 100, 3)) == heldOut);
        QVERIFY(heldOutIn(SampleSplit(1000, 100, 4)) != heldOut);
    }

    // The first held-out samples represent all samples, so they must not be from one end of the data.
    void drawsFromAllOfTheData()
    {
        const SampleSplit split(10000, 1000, 9);
        double sum = 0.0;
        for (std::int64_t place = 0; place < 100; ++place)
            sum += static_cast<double>(split.heldOut(place));
        // The mean of 100 of 0..9999 has a standard deviation of 289.
        QVERIFY2(std::abs(sum / 100.0 - 5000.0) < 4 * 289.0, qPrintable(QString::number(sum / 100.0)));
    }
};

BATCHPEAK_TEST(SampleSplitTest)
#include "tst_sample_split.moc"
