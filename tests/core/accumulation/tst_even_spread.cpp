// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/even_spread.h"
#include "support/test_main.h"

#include <QTest>

#include <cstdint>

using namespace batchpeak::accumulation;

class EvenSpreadTest : public QObject
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
        QCOMPARE(evenSpread(batch, size).microBatches(), ofEven + ofOneMore);
        QCOMPARE(ofEven * even + ofOneMore * (even + 1), batch);
    }
};

BATCHPEAK_TEST(EvenSpreadTest)
#include "tst_even_spread.moc"
