// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "theme/quantity_text.h"

#include <QTest>

#include <optional>

using namespace batchpeak::ui;

class QuantityTextTest : public QObject
{
    Q_OBJECT

private slots:
    void writesARateAsPreciselyAsItIsKnown_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("halfInterval");
        QTest::addColumn<QString>("expected");
        QTest::newRow("interval of tens") << 2266.0 << 38.0 << QStringLiteral("2,266 ± 38");
        QTest::newRow("interval of ones") << 115.4 << 6.2 << QStringLiteral("115 ± 6");
        QTest::newRow("interval below one") << 2.514 << 0.042 << QStringLiteral("2.51 ± 0.04");
        QTest::newRow("no spread at all") << 2.514 << 0.0 << QStringLiteral("2.51 ± 0.00");
    }
    void writesARateAsPreciselyAsItIsKnown()
    {
        QFETCH(double, value);
        QFETCH(double, halfInterval);
        QFETCH(QString, expected);
        QCOMPARE(rateText(value, halfInterval / value / standardErrorsOf95Percent, QLocale::c()),
                 QString(expected).remove(QLatin1Char(',')));
        QCOMPARE(rateText(value, halfInterval / value / standardErrorsOf95Percent,
                          QLocale(QLocale::English, QLocale::UnitedStates)),
                 expected);
    }

    void writesARateWithoutAnError()
    {
        QCOMPARE(rateText(2.514, std::nullopt, QLocale::c()), QStringLiteral("2.51"));
        QCOMPARE(rateText(0.0313, std::nullopt, QLocale::c()), QStringLiteral("0.0313"));
    }

    void choosesOneUnitOfMemory_data()
    {
        QTest::addColumn<double>("largest");
        QTest::addColumn<double>("count");
        QTest::addColumn<QString>("expected");
        const double mebibyte = 1048576.0;
        QTest::newRow("small device") << 800.0 * mebibyte << 312.4 * mebibyte << QStringLiteral("312 MiB");
        QTest::newRow("small peak") << 800.0 * mebibyte << 23.5 * mebibyte << QStringLiteral("23.5 MiB");
        QTest::newRow("large device, small peak")
            << 8192.0 * mebibyte << 860.0 * mebibyte << QStringLiteral("0.84 GiB");
        QTest::newRow("large peak") << 81920.0 * mebibyte << 61132.8 * mebibyte << QStringLiteral("59.7 GiB");
        QTest::newRow("nothing known") << 0.0 << 1024.0 * mebibyte << QStringLiteral("1.00 GiB");
    }
    void choosesOneUnitOfMemory()
    {
        QFETCH(double, largest);
        QFETCH(double, count);
        QFETCH(QString, expected);
        const MemoryUnit unit = MemoryUnit::forBytes(largest);
        QCOMPARE(memoryText(count, unit, QLocale::c()) + QLatin1Char(' ') + unit.name, expected);
    }

    void writesATimeAsAPersonSaysIt_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("expected");
        QTest::newRow("tenths") << 4.12 << QStringLiteral("4.1 s");
        QTest::newRow("rounds up to ten") << 9.96 << QStringLiteral("10 s");
        QTest::newRow("just below a minute") << 59.4 << QStringLiteral("59 s");
        QTest::newRow("minutes") << 72.0 << QStringLiteral("1 min 12 s");
        QTest::newRow("hours") << 7500.0 << QStringLiteral("2 h 5 min");
        QTest::newRow("never negative") << -3.0 << QStringLiteral("0.0 s");
    }
    void writesATimeAsAPersonSaysIt()
    {
        QFETCH(double, seconds);
        QFETCH(QString, expected);
        QCOMPARE(durationText(seconds, QLocale::c()), expected);
    }

    void countsInTheSingularToo()
    {
        QCOMPARE(trialsText(1), QStringLiteral("1 trial"));
        QCOMPARE(trialsText(12), QStringLiteral("12 trials"));
        QCOMPARE(stepsText(1), QStringLiteral("1 step"));
    }
};

BATCHPEAK_TEST(QuantityTextTest)
#include "tst_quantity_text.moc"
