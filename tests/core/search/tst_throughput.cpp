// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "throughput.h"

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
    void spreadsEvenly_data()
    {
        QTest::addColumn<std::int64_t>("batch");
        QTest::addColumn<std::int64_t>("size");
        QTest::addColumn<std::int64_t>("even");
        QTest::addColumn<std::int64_t>("ofEven");
        QTest::addColumn<std::int64_t>("ofOneMore");
        const auto row = [](const char* name, std::int64_t batch, std::int64_t size, std::int64_t even,
                            std::int64_t ofEven, std::int64_t ofOneMore) {
            QTest::newRow(name) << batch << size << even << ofEven << ofOneMore;
        };
        row("divides", 12, 4, 4, 3, 0);
        row("uneven", 10, 4, 3, 2, 1);
        row("one at a time", 5, 1, 1, 5, 0);
        row("larger than the batch", 5, 8, 5, 1, 0);
        row("all but one", 9, 8, 4, 1, 1);
    }
    void spreadsEvenly()
    {
        QFETCH(std::int64_t, batch);
        QFETCH(std::int64_t, size);
        QFETCH(std::int64_t, even);
        QFETCH(std::int64_t, ofEven);
        QFETCH(std::int64_t, ofOneMore);
        QCOMPARE(evenSpread(batch, size),
                 (EvenSpread{.size = even, .ofSize = ofEven, .ofOneMore = ofOneMore}));
        QCOMPARE(ofEven * even + ofOneMore * (even + 1), batch);
    }

    void microIgnoresTheBatch()
    {
        const Throughput throughput({.perDeviceBatch = 7}, 3.0);
        QCOMPARE(throughput.samplesPerSecond(4, affineSeconds), 4.0 / 3.0);
        QCOMPARE(throughput.secondsFor(4, 4.0 / 3.0), 3.0);
    }

    void effectiveCountsTheWholeStep()
    {
        const Throughput throughput({.objective = Objective::Effective, .perDeviceBatch = 10}, 0.25);
        // 2 of 3 samples, 1 of 4, and the optimizer.
        QCOMPARE(throughput.samplesPerSecond(4, affineSeconds), 10.0 / (2 * 2.5 + 3.0 + 0.25));
    }

    void secondsForUndoesEvenBatches()
    {
        const Throughput throughput({.objective = Objective::Effective, .perDeviceBatch = 12}, 0.25);
        const double speed = throughput.samplesPerSecond(4, affineSeconds);
        QCOMPARE(throughput.secondsFor(4, speed), affineSeconds(4));
        QCOMPARE(throughput.secondsFor(4, 1e9), 0.0);
    }
};

QTEST_APPLESS_MAIN(ThroughputTest)
#include "tst_throughput.moc"
