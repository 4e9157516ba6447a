// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/sample_lengths.h"
#include "cli/usage_error.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace batchpeak::cli;

using Lengths = std::vector<std::int64_t>;

class SampleLengthsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsOneALine_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Lengths>("lengths");
        QTest::newRow("numbers") << QByteArray("12\n7\n300\n") << Lengths{7, 12, 300};
        QTest::newRow("no newline at the end") << QByteArray("12\n7") << Lengths{7, 12};
        QTest::newRow("comments, blank lines, other line ends")
            << QByteArray("# of my data\r\n12\r\n\r\n 7 \r\n") << Lengths{7, 12};
    }
    void readsOneALine()
    {
        QFETCH(QByteArray, text);
        QFETCH(Lengths, lengths);
        QCOMPARE(sampleLengthsFromText(text, QStringLiteral("l.txt")), lengths);
    }

    void keepsTheShapeOfLongLists()
    {
        QByteArray text;
        for (int i = 10000; i >= 1; --i)
            text += QByteArray::number(i) + '\n';
        const Lengths lengths = sampleLengthsFromText(text, QStringLiteral("l.txt"));
        QCOMPARE(lengths.size(), std::size_t{1000});
        QVERIFY(std::is_sorted(lengths.begin(), lengths.end()));
        const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 1000;
        QVERIFY(std::abs(mean / 5000.5 - 1) < 1e-3);
        QVERIFY(lengths.front() <= 10 && lengths.back() >= 9991);
    }

    void namesTheLine_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::newRow("a word") << QByteArray("12\nlong\n") << QStringLiteral("l.txt:2: 'long'");
        QTest::newRow("zero") << QByteArray("0\n") << QStringLiteral("l.txt:1: '0'");
        QTest::newRow("two on a line") << QByteArray("12 7\n") << QStringLiteral("l.txt:1: '12 7'");
        QTest::newRow("nothing") << QByteArray("# none\n") << QStringLiteral("holds no length");
    }
    void namesTheLine()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        try {
            sampleLengthsFromText(text, QStringLiteral("l.txt"));
            QFAIL("nothing was thrown");
        } catch (const UsageError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
        }
    }

    void saysThatAFileIsNotThere()
    {
        QVERIFY_THROWS_EXCEPTION(UsageError, sampleLengthsFromFile(QStringLiteral("/nowhere/l.txt")));
    }
};

BATCHPEAK_TEST(SampleLengthsTest)
#include "tst_sample_lengths.moc"
