// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/micro_batches.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <limits>

using namespace batchpeak::accumulation;
using Kind = GrowthDecision::Kind;

namespace {

struct Question
{
    std::int64_t current, increment, maximum;
    GrowthDecision decision;
};

} // namespace

class GrowthRuleTest : public QObject
{
    Q_OBJECT

private slots:
    void decides_data()
    {
        constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
        constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
        rows<Question>({{"none", {8, 0, 16, {Kind::Stays, 8}}},
                        {"none above the maximum", {32, 0, 16, {Kind::Stays, 32}}},
                        {"grows", {8, 4, 16, {Kind::Changes, 12}}},
                        {"up to the maximum", {8, 8, 16, {Kind::Changes, 16}}},
                        {"passes it by one", {8, 9, 16, {Kind::PassesMaximum, 8}}},
                        {"at the maximum", {16, 1, 16, {Kind::PassesMaximum, 16}}},
                        {"shrinks", {8, -3, 16, {Kind::Changes, 5}}},
                        {"shrinks to one", {8, -7, 16, {Kind::Changes, 1}}},
                        {"leaves nothing", {8, -8, 16, {Kind::LeavesNothing, 8}}},
                        {"leaves less than nothing", {8, -9, 16, {Kind::LeavesNothing, 8}}},
                        {"shrinks, but not to the maximum", {32, -4, 16, {Kind::PassesMaximum, 32}}},
                        {"shrinks to the maximum", {32, -16, 16, {Kind::Changes, 16}}},
                        {"largest increment", {8, largest, 16, {Kind::PassesMaximum, 8}}},
                        {"smallest increment", {8, smallest, 16, {Kind::LeavesNothing, 8}}},
                        {"no maximum in sight", {8, largest - 8, largest, {Kind::Changes, largest}}},
                        {"beyond 64 bits", {8, largest - 7, largest, {Kind::PassesMaximum, 8}}},
                        {"smallest increment of the largest size",
                         {largest, smallest, largest, {Kind::LeavesNothing, largest}}}});
    }
    void decides()
    {
        const auto& [current, increment, maximum, decision] = row<Question>();
        QCOMPARE(decideGrowth(current, increment, maximum), decision);
    }

    void roundsDownToAPowerOfTwo_data()
    {
        rows<std::int64_t, std::int64_t>(
            {{"one", {1, 1}},
             {"two", {2, 2}},
             {"three", {3, 2}},
             {"power", {64, 64}},
             {"one less", {63, 32}},
             {"one more", {65, 64}},
             {"100", {100, 64}},
             {"beyond 32 bits", {(std::int64_t{1} << 40) + 1, std::int64_t{1} << 40}},
             {"largest", {std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 62}}});
    }
    void roundsDownToAPowerOfTwo()
    {
        const auto& [number, power] = row<std::int64_t, std::int64_t>();
        QCOMPARE(powerOfTwoAtMost(number), power);
    }
};

BATCHPEAK_TEST(GrowthRuleTest)
#include "tst_growth_rule.moc"
