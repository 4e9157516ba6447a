// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/quantity_parsing.h"
#include "cli/usage_error.h"
#include "support/test_main.h"

#include <QTest>

#include <chrono>

using namespace batchpeak::cli;

namespace {

template<typename Read>
QString complaintAbout(Read read)
{
    try {
        read();
    } catch (const UsageError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

} // namespace

class QuantityParsingTest : public QObject
{
    Q_OBJECT

private slots:
    void readsAmountsOfMemory_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("binary") << QStringLiteral("2GiB") << qint64{2} * 1024 * 1024 * 1024;
        QTest::newRow("decimal") << QStringLiteral("1.5GB") << qint64{1500000000};
        QTest::newRow("small letters") << QStringLiteral("800mib") << qint64{800} * 1024 * 1024;
        QTest::newRow("a space") << QStringLiteral("1 KiB") << qint64{1024};
        QTest::newRow("bytes") << QStringLiteral("512B") << qint64{512};
        QTest::newRow("no unit") << QStringLiteral("6") << qint64{0};
        QTest::newRow("half a unit") << QStringLiteral("2G") << qint64{0};
        QTest::newRow("zero") << QStringLiteral("0GiB") << qint64{0};
        QTest::newRow("negative") << QStringLiteral("-2GiB") << qint64{0};
        QTest::newRow("beyond 64 bits") << QStringLiteral("99999999999TiB") << qint64{0};
        QTest::newRow("not a number") << QStringLiteral("nanGiB") << qint64{0};
        QTest::newRow("comma of another locale") << QStringLiteral("1,5GiB") << qint64{0};
        QTest::newRow("empty") << QString() << qint64{0};
    }
    void readsAmountsOfMemory()
    {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        std::int64_t read = 0;
        const QString complaint = complaintAbout([&] { read = bytesFromText(text.toStdString()); });
        QCOMPARE(read, bytes);
        QCOMPARE(complaint.isEmpty(), bytes > 0);
        QVERIFY(complaint.isEmpty() || complaint.contains(QStringLiteral("'%1'").arg(text)));
    }

    void readsLengthsOfTime_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("seconds");
        QTest::newRow("seconds") << QStringLiteral("90s") << 90;
        QTest::newRow("minutes") << QStringLiteral("10m") << 600;
        QTest::newRow("hours and minutes") << QStringLiteral("1h30m") << 5400;
        QTest::newRow("fraction") << QStringLiteral("1.5m") << 90;
        QTest::newRow("no unit") << QStringLiteral("10") << 0;
        QTest::newRow("wrong order") << QStringLiteral("30m1h") << 0;
        QTest::newRow("a unit twice") << QStringLiteral("1m1m") << 0;
        QTest::newRow("unknown unit") << QStringLiteral("2d") << 0;
        QTest::newRow("nothing") << QStringLiteral("0s") << 0;
        QTest::newRow("negative") << QStringLiteral("-5m") << 0;
        QTest::newRow("longer than a life") << QStringLiteral("99999999h") << 0;
        QTest::newRow("empty") << QString() << 0;
    }
    void readsLengthsOfTime()
    {
        QFETCH(QString, text);
        QFETCH(int, seconds);
        std::chrono::seconds read{0};
        const QString complaint = complaintAbout([&] { read = durationFromText(text.toStdString()); });
        QCOMPARE(read.count(), seconds);
        QCOMPARE(complaint.isEmpty(), seconds > 0);
    }

    void readsPercentages_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("share");
        QTest::newRow("whole") << QStringLiteral("8") << 0.08;
        QTest::newRow("with its sign") << QStringLiteral("8%") << 0.08;
        QTest::newRow("fraction") << QStringLiteral("2.5") << 0.025;
        QTest::newRow("at the bound") << QStringLiteral("50") << 0.5;
        QTest::newRow("above it") << QStringLiteral("50.5") << -1.0;
        QTest::newRow("below it") << QStringLiteral("0.5") << -1.0;
        QTest::newRow("words") << QStringLiteral("all") << -1.0;
        QTest::newRow("another unit") << QStringLiteral("8m") << -1.0;
    }
    void readsPercentages()
    {
        QFETCH(QString, text);
        QFETCH(double, share);
        double read = -1;
        const QString complaint =
            complaintAbout([&] { read = shareFromPercentText(text.toStdString(), 1, 50); });
        QCOMPARE(read, share);
        QCOMPARE(complaint.isEmpty(), share >= 0);
    }

    void readsNumbers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("number");
        QTest::newRow("whole") << QStringLiteral("1") << 1.0;
        QTest::newRow("fraction") << QStringLiteral("0.5") << 0.5;
        QTest::newRow("none") << QStringLiteral("0") << 0.0;
        QTest::newRow("negative") << QStringLiteral("-1") << -1.0;
        QTest::newRow("with a unit") << QStringLiteral("1x") << -1.0;
        QTest::newRow("empty") << QString() << -1.0;
    }
    void readsNumbers()
    {
        QFETCH(QString, text);
        QFETCH(double, number);
        double read = -1;
        const QString complaint = complaintAbout([&] { read = numberFromText(text.toStdString()); });
        QCOMPARE(read, number);
        QCOMPARE(complaint.isEmpty(), number >= 0);
    }

    void readsCounts_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("count");
        QTest::newRow("in bounds") << QStringLiteral("7") << 7;
        QTest::newRow("below") << QStringLiteral("0") << -1;
        QTest::newRow("above") << QStringLiteral("101") << -1;
        QTest::newRow("fraction") << QStringLiteral("7.5") << -1;
        QTest::newRow("beyond 64 bits") << QStringLiteral("99999999999999999999") << -1;
        QTest::newRow("empty") << QString() << -1;
    }
    void readsCounts()
    {
        QFETCH(QString, text);
        QFETCH(int, count);
        std::int64_t read = -1;
        const QString complaint = complaintAbout([&] { read = countFromText(text.toStdString(), 1, 100); });
        QCOMPARE(read, count);
        QCOMPARE(complaint.isEmpty(), count >= 0);
    }

    void readsNumbersAboveZero_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("expected");
        QTest::newRow("decimal") << QStringLiteral("0.0003") << 0.0003;
        QTest::newRow("with an exponent") << QStringLiteral("3e-4") << 3e-4;
        QTest::newRow("zero") << QStringLiteral("0") << 0.0;
        QTest::newRow("negative") << QStringLiteral("-0.1") << 0.0;
        QTest::newRow("infinite") << QStringLiteral("inf") << 0.0;
        QTest::newRow("followed by more") << QStringLiteral("1e-3x") << 0.0;
        QTest::newRow("empty") << QString() << 0.0;
    }
    void readsNumbersAboveZero()
    {
        QFETCH(QString, text);
        QFETCH(double, expected);
        double read = 0;
        const QString complaint = complaintAbout([&] { read = positiveNumberFromText(text.toStdString()); });
        QCOMPARE(read, expected);
        QCOMPARE(complaint.isEmpty(), expected > 0);
    }
};

BATCHPEAK_TEST(QuantityParsingTest)
#include "tst_quantity_parsing.moc"
