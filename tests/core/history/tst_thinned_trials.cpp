// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/thinned_trials.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

using namespace batchpeak;
using batchpeak::engine::thinOut;

namespace {

using Trials = std::vector<search::Measurement>;
/// Size of each trial, and when it was measured.
using Kept = std::vector<std::pair<std::int64_t, double>>;

Trials trialsOf(const std::vector<std::int64_t>& sizes)
{
    Trials trials;
    for (const std::int64_t size : sizes)
        trials.push_back({.size = size, .clockSeconds = static_cast<double>(trials.size())});
    return trials;
}

Kept keptOf(const Trials& trials)
{
    Kept kept;
    for (const search::Measurement& trial : trials)
        kept.emplace_back(trial.size, trial.clockSeconds);
    return kept;
}

Kept thinned(const std::vector<std::int64_t>& sizes, std::size_t max)
{
    Trials trials = trialsOf(sizes);
    thinOut(trials, max);
    return keptOf(trials);
}

/// Thins out trials by the definition: the size with the most trials loses its oldest one, until few enough
/// are left.
Kept oneByOne(const std::vector<std::int64_t>& sizes, std::size_t max)
{
    Trials trials = trialsOf(sizes);
    while (trials.size() > max) {
        const auto timesOf = [&](const search::Measurement& trial) {
            return std::ranges::count(trials, trial.size, &search::Measurement::size);
        };
        trials.erase(std::ranges::max_element(trials, {}, timesOf));
    }
    return keptOf(trials);
}

std::vector<std::int64_t> randomSizes(std::size_t count, std::int64_t largest, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<std::int64_t> sizes(count);
    std::ranges::generate(sizes, [&] { return 1 + static_cast<std::int64_t>(random() % largest); });
    return sizes;
}

struct Case
{
    std::vector<std::int64_t> sizes;
    std::size_t max = 3;
    Kept kept;
};

} // namespace

class ThinnedTrialsTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsTheNewestOfEachSize_data()
    {
        rows<Case>({{"few", {.sizes = {1, 1, 2}, .kept = {{1, 0}, {1, 1}, {2, 2}}}},
                    {"none", {}},
                    {"one size", {.sizes = {4, 4, 4, 4, 4}, .kept = {{4, 2}, {4, 3}, {4, 4}}}},
                    {"the size that has most", {.sizes = {8, 1, 1, 1, 2}, .kept = {{8, 0}, {1, 3}, {2, 4}}}},
                    {"the oldest of equally frequent sizes",
                     {.sizes = {3, 2, 1, 5}, .kept = {{2, 1}, {1, 2}, {5, 3}}}},
                    {"nothing", {.sizes = {1, 2}, .max = 0, .kept = {}}}});
    }
    void keepsTheNewestOfEachSize()
    {
        const auto& [sizes, max, kept] = row<Case>();
        QCOMPARE(thinned(sizes, max), kept);
    }

    void matchesTheDefinition()
    {
        for (std::uint32_t seed = 1; seed <= 40; ++seed) {
            const auto sizes = randomSizes(20 + 7 * seed, 1 + seed, seed);
            QCOMPARE(thinned(sizes, 96), oneByOne(sizes, 96));
        }
    }

    // Counting all trials again for each removal would take hours.
    void thinsOutManyTrialsQuickly()
    {
        const Kept kept = thinned(randomSizes(20'000, 3000, 1), 96);
        QCOMPARE(kept.size(), std::size_t{96});
        QVERIFY(std::ranges::is_sorted(kept, {}, &Kept::value_type::second));
        QCOMPARE(thinned(std::vector<std::int64_t>(20'000, 64), 96).back(), (Kept::value_type{64, 19'999}));
    }
};

BATCHPEAK_TEST(ThinnedTrialsTest)
#include "tst_thinned_trials.moc"
