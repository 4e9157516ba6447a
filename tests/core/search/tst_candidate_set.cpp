// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/candidate_set.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <functional>

using namespace batchpeak::search;

using Sizes = std::vector<std::int64_t>;

class CandidateSetTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheNeighbours_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<std::int64_t>("size");
        QTest::addColumn<std::int64_t>("atMost");
        QTest::addColumn<std::int64_t>("above");
        const SearchSpace range{.minimum = 3, .maximum = 100};
        const SearchSpace list{.candidates = {1, 7, 49}};
        const auto row = [](const char* name, const SearchSpace& space, std::int64_t size,
                            std::int64_t atMost,
                            std::int64_t above) { QTest::newRow(name) << space << size << atMost << above; };
        row("below a range", range, 2, 0, 3);
        row("in a range", range, 40, 40, 41);
        row("top of a range", range, 100, 100, 0);
        row("above a range", range, 101, 100, 0);
        row("on a list", list, 7, 7, 49);
        row("between two of a list", list, 8, 7, 49);
        row("above a list", list, 50, 49, 0);
    }
    void findsTheNeighbours()
    {
        QFETCH(SearchSpace, space);
        QFETCH(std::int64_t, size);
        QFETCH(std::int64_t, atMost);
        QFETCH(std::int64_t, above);
        const CandidateSet candidates(space);
        QCOMPARE(candidates.atMost(size).value_or(0), atMost);
        QCOMPARE(candidates.above(size).value_or(0), above);
        QCOMPARE(candidates.contains(size), size == atMost);
    }

    void halvesGapsAtAlignedSizes_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<std::int64_t>("low");
        QTest::addColumn<std::int64_t>("high");
        QTest::addColumn<std::int64_t>("middle");
        const SearchSpace range{.maximum = 4096};
        const SearchSpace list{.candidates = {1, 2, 5, 11, 50}};
        QTest::newRow("octave") << range << std::int64_t{32} << std::int64_t{64} << std::int64_t{48};
        QTest::newRow("half an octave") << range << std::int64_t{64} << std::int64_t{96} << std::int64_t{80};
        QTest::newRow("one left") << range << std::int64_t{2} << std::int64_t{4} << std::int64_t{3};
        QTest::newRow("none left") << range << std::int64_t{3} << std::int64_t{4} << std::int64_t{0};
        QTest::newRow("of a list") << list << std::int64_t{1} << std::int64_t{50} << std::int64_t{5};
        QTest::newRow("none of a list") << list << std::int64_t{11} << std::int64_t{50} << std::int64_t{0};
    }
    void halvesGapsAtAlignedSizes()
    {
        QFETCH(SearchSpace, space);
        QFETCH(std::int64_t, low);
        QFETCH(std::int64_t, high);
        QFETCH(std::int64_t, middle);
        QCOMPARE(CandidateSet(space).between(low, high).value_or(0), middle);
    }

    void halvesSizes_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<std::int64_t>("size");
        QTest::addColumn<std::int64_t>("half");
        const SearchSpace range{.minimum = 3, .maximum = 100};
        const SearchSpace list{.candidates = {1, 7, 49}};
        QTest::newRow("odd") << range << std::int64_t{27} << std::int64_t{13};
        QTest::newRow("far above a range") << range << std::int64_t{300} << std::int64_t{100};
        QTest::newRow("half is below the smallest") << range << std::int64_t{5} << std::int64_t{3};
        QTest::newRow("the smallest") << range << std::int64_t{3} << std::int64_t{0};
        QTest::newRow("of a list") << list << std::int64_t{49} << std::int64_t{7};
        QTest::newRow("down to the first of a list") << list << std::int64_t{7} << std::int64_t{1};
    }
    void halvesSizes()
    {
        QFETCH(SearchSpace, space);
        QFETCH(std::int64_t, size);
        QFETCH(std::int64_t, half);
        QCOMPARE(CandidateSet(space).halved(size).value_or(0), half);
    }

    void roundsDownToPowersOfTwo_data()
    {
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<std::int64_t>("limit");
        QTest::addColumn<std::int64_t>("rounded");
        const SearchSpace range{.minimum = 3, .maximum = 100};
        const SearchSpace list{.candidates = {1, 7, 49}};
        QTest::newRow("within a range") << range << std::int64_t{40} << std::int64_t{32};
        QTest::newRow("a power of two") << range << std::int64_t{64} << std::int64_t{64};
        QTest::newRow("above a range") << range << std::int64_t{1000} << std::int64_t{64};
        QTest::newRow("none in the range") << range << std::int64_t{3} << std::int64_t{3};
        QTest::newRow("nothing at all") << range << std::int64_t{0} << std::int64_t{3};
        QTest::newRow("of a list") << list << std::int64_t{48} << std::int64_t{7};
    }
    void roundsDownToPowersOfTwo()
    {
        QFETCH(SearchSpace, space);
        QFETCH(std::int64_t, limit);
        QFETCH(std::int64_t, rounded);
        QCOMPARE(CandidateSet(space).powerOfTwoAtMost(limit), rounded);
    }

    void liesStrictlyBetween()
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

    void oneSizeIsEnough()
    {
        const CandidateSet candidates(SearchSpace{.maximum = 1});
        QCOMPARE(candidates.grid(1, 4), Sizes{1});
        QVERIFY(!candidates.above(1));
        QVERIFY(!candidates.between(1, 2));
    }
};

BATCHPEAK_TEST(CandidateSetTest)
#include "tst_candidate_set.moc"
