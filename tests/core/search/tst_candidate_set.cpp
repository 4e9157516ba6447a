// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/candidate_set.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <functional>

using namespace batchpeak::search;

using Sizes = std::vector<std::int64_t>;

namespace {

/// Query of a set of sizes, and its answer; 0 stands for none.
struct Asked
{
    SearchSpace space;
    std::int64_t size;
    std::int64_t answer;
};

struct Neighbors
{
    SearchSpace space;
    std::int64_t size;
    std::int64_t atMost;
    std::int64_t above;
};

struct Gap
{
    SearchSpace space;
    std::int64_t low;
    std::int64_t high;
    std::int64_t middle;
};

const SearchSpace from3To100{.minimum = 3, .maximum = 100};
const SearchSpace list{.candidates = {1, 7, 49}};

} // namespace

class CandidateSetTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheNeighbors_data()
    {
        rows<Neighbors>({
            {"below a range", {from3To100, 2, 0, 3}},
            {"in a range", {from3To100, 40, 40, 41}},
            {"top of a range", {from3To100, 100, 100, 0}},
            {"above a range", {from3To100, 101, 100, 0}},
            {"on a list", {list, 7, 7, 49}},
            {"between two of a list", {list, 8, 7, 49}},
            {"above a list", {list, 50, 49, 0}},
        });
    }
    void findsTheNeighbors()
    {
        const auto& [space, size, atMost, above] = row<Neighbors>();
        const CandidateSet candidates(space);
        QCOMPARE(candidates.atMost(size).value_or(0), atMost);
        QCOMPARE(candidates.above(size).value_or(0), above);
        QCOMPARE(candidates.contains(size), size == atMost);
    }

    void halvesGapsAtAlignedSizes_data()
    {
        const SearchSpace range{.maximum = 4096};
        const SearchSpace five{.candidates = {1, 2, 5, 11, 50}};
        rows<Gap>({
            {"octave", {range, 32, 64, 48}},
            {"half an octave", {range, 64, 96, 80}},
            {"one left", {range, 2, 4, 3}},
            {"none left", {range, 3, 4, 0}},
            {"of a list", {five, 1, 50, 5}},
            {"none of a list", {five, 11, 50, 0}},
        });
    }
    void halvesGapsAtAlignedSizes()
    {
        const auto& [space, low, high, middle] = row<Gap>();
        QCOMPARE(CandidateSet(space).between(low, high).value_or(0), middle);
    }

    void halvesSizes_data()
    {
        rows<Asked>({
            {"odd", {from3To100, 27, 13}},
            {"far above a range", {from3To100, 300, 100}},
            {"half is below the smallest", {from3To100, 5, 3}},
            {"the smallest", {from3To100, 3, 0}},
            {"of a list", {list, 49, 7}},
            {"down to the first of a list", {list, 7, 1}},
        });
    }
    void halvesSizes()
    {
        const auto& [space, size, half] = row<Asked>();
        QCOMPARE(CandidateSet(space).halved(size).value_or(0), half);
    }

    void roundsDownToPowersOfTwo_data()
    {
        rows<Asked>({
            {"within a range", {from3To100, 40, 32}},
            {"a power of two", {from3To100, 64, 64}},
            {"above a range", {from3To100, 1000, 64}},
            {"none in the range", {from3To100, 3, 3}},
            {"nothing at all", {from3To100, 0, 3}},
            {"of a list", {list, 48, 7}},
        });
    }
    void roundsDownToPowersOfTwo()
    {
        const auto& [space, limit, rounded] = row<Asked>();
        QCOMPARE(CandidateSet(space).powerOfTwoAtMost(limit), rounded);
    }

    void halvesStrictlyBetween()
    {
        const CandidateSet candidates(SearchSpace{.minimum = 5, .maximum = 300});
        for (std::int64_t low = 1; low < 310; ++low) {
            for (std::int64_t high = low + 1; high < 320; ++high) {
                const auto middle = candidates.between(low, high);
                QVERIFY(!middle || (*middle > low && *middle < high && candidates.contains(*middle)));
                const bool isRoom =
                    std::max<std::int64_t>(low + 1, 5) <= std::min<std::int64_t>(high - 1, 300);
                QCOMPARE(middle.has_value(), isRoom);
            }
        }
    }

    void gridHoldsSmallAndAlignedSizes()
    {
        const CandidateSet candidates(SearchSpace{.maximum = 5000});
        const Sizes grid = candidates.grid(3001, 2000);
        QVERIFY(std::ranges::adjacent_find(grid, std::greater_equal()) == grid.end());
        QCOMPARE(grid.front(), 1);
        QCOMPARE(grid.back(), 3001);
        for (const std::int64_t size : {2, 100, 249, 256, 1192, 1216, 1984})
            QVERIFY2(std::ranges::binary_search(grid, size), std::to_string(size).c_str());
        QVERIFY(grid.size() < 1000);
    }

    void gridKeepsToTheList()
    {
        const CandidateSet candidates(SearchSpace{.candidates = {1, 7, 49}});
        QCOMPARE(candidates.grid(48, 10), (Sizes{1, 7}));
        QCOMPARE(candidates.grid(1000, 10), (Sizes{1, 7, 49}));
    }

    void handlesASingleSize()
    {
        const CandidateSet candidates(SearchSpace{.maximum = 1});
        QCOMPARE(candidates.grid(1, 4), Sizes{1});
        QVERIFY(!candidates.above(1));
        QVERIFY(!candidates.between(1, 2));
    }
};

BATCHPEAK_TEST(CandidateSetTest)
#include "tst_candidate_set.moc"
