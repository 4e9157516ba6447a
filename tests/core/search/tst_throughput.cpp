// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/throughput.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::search;

namespace {

double affineSeconds(std::int64_t size)
{
    return 1.0 + 0.5 * static_cast<double>(size);
}

} // namespace

class ThroughputTest : public QObject
{
    Q_OBJECT

private slots:
    void microIgnoresTheBatch()
    {
        const Throughput throughput({.perDeviceBatch = 7}, 3.0);
        QCOMPARE(throughput.samplesPerSecond(4, affineSeconds), 4.0 / 3.0);
        QCOMPARE(throughput.secondsFor(4, 4.0 / 3.0), 3.0);
    }

    void effectiveCountsTheWholeStep()
    {
        const Throughput throughput({.objective = Objective::Effective, .perDeviceBatch = 10}, 0.25);
        // Two micro-batches of 3 samples, one of 4, and the optimizer.
        QCOMPARE(throughput.samplesPerSecond(4, affineSeconds), 10.0 / (2 * 2.5 + 3.0 + 0.25));
    }

    void secondsForInvertsWholeBatches()
    {
        const Throughput throughput({.objective = Objective::Effective, .perDeviceBatch = 12}, 0.25);
        const double speed = throughput.samplesPerSecond(4, affineSeconds);
        QCOMPARE(throughput.secondsFor(4, speed), affineSeconds(4));
        QCOMPARE(throughput.secondsFor(4, 1e9), 0.0);
    }
};

BATCHPEAK_TEST(ThroughputTest)
#include "tst_throughput.moc"
