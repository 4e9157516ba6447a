// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/growth_rule.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using namespace batchpeak::accumulation;
using Kind = GrowthDecision::Kind;

class GrowthRuleTest : public QObject
{
    Q_OBJECT

private slots:
    void decides_data();
    void decides();
};

void GrowthRuleTest::decides_data()
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    QTest::addColumn<std::int64_t>("current");
    QTest::addColumn<std::int64_t>("increment");
    QTest::addColumn<std::int64_t>("maximum");
    QTest::addColumn<GrowthDecision>("decision");
    const auto row = [](const char* name, std::int64_t current, std::int64_t increment, std::int64_t maximum,
                        Kind kind, std::int64_t size) {
        QTest::newRow(name) << current << increment << maximum
                            << GrowthDecision{.kind = kind, .batchSize = size};
    };
    row("none", 8, 0, 16, Kind::Stays, 8);
    row("none above the maximum", 32, 0, 16, Kind::Stays, 32);
    row("grows", 8, 4, 16, Kind::Changes, 12);
    row("up to the maximum", 8, 8, 16, Kind::Changes, 16);
    row("passes it by one", 8, 9, 16, Kind::PassesMaximum, 8);
    row("at the maximum", 16, 1, 16, Kind::PassesMaximum, 16);
    row("shrinks", 8, -3, 16, Kind::Changes, 5);
    row("shrinks to one", 8, -7, 16, Kind::Changes, 1);
    row("leaves nothing", 8, -8, 16, Kind::LeavesNothing, 8);
    row("leaves less than nothing", 8, -9, 16, Kind::LeavesNothing, 8);
    row("shrinks, but not to the maximum", 32, -4, 16, Kind::PassesMaximum, 32);
    row("shrinks to the maximum", 32, -16, 16, Kind::Changes, 16);
    row("largest increment", 8, largest, 16, Kind::PassesMaximum, 8);
    row("smallest increment", 8, smallest, 16, Kind::LeavesNothing, 8);
    row("no maximum in sight", 8, largest - 8, largest, Kind::Changes, largest);
    row("beyond 64 bits", 8, largest - 7, largest, Kind::PassesMaximum, 8);
    row("smallest increment of the largest size", largest, smallest, largest, Kind::LeavesNothing, largest);
}

void GrowthRuleTest::decides()
{
    QFETCH(std::int64_t, current);
    QFETCH(std::int64_t, increment);
    QFETCH(std::int64_t, maximum);
    QFETCH(GrowthDecision, decision);
    QCOMPARE(decideGrowth(current, increment, maximum), decision);
}

BATCHPEAK_TEST(GrowthRuleTest)
#include "tst_growth_rule.moc"
