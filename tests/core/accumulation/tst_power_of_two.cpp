// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/power_of_two.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using batchpeak::accumulation::powerOfTwoAtMost;

class PowerOfTwoTest : public QObject
{
    Q_OBJECT

private slots:
    void roundsDown_data();
    void roundsDown();
};

void PowerOfTwoTest::roundsDown_data()
{
    QTest::addColumn<std::int64_t>("number");
    QTest::addColumn<std::int64_t>("power");
    const auto row = [](const char* name, std::int64_t number, std::int64_t power) {
        QTest::newRow(name) << number << power;
    };
    row("one", 1, 1);
    row("two", 2, 2);
    row("three", 3, 2);
    row("power", 64, 64);
    row("one less", 63, 32);
    row("one more", 65, 64);
    row("100", 100, 64);
    row("beyond 32 bits", (std::int64_t{1} << 40) + 1, std::int64_t{1} << 40);
    row("largest", std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 62);
}

void PowerOfTwoTest::roundsDown()
{
    QFETCH(std::int64_t, number);
    QFETCH(std::int64_t, power);
    QCOMPARE(powerOfTwoAtMost(number), power);
}

BATCHPEAK_TEST(PowerOfTwoTest)
#include "tst_power_of_two.moc"
