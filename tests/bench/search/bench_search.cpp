// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Searches on simulated devices and prints, strategy by strategy and family by family, what they cost and how
// right they were:
//     batchpeak-bench-search [SEARCHES PER FAMILY [FIRST SEED [STRATEGY]]]

#include "device_families.h"
#include "search_figures.h"
#include "strategy_factory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int defaultSearches = 10;
/// The tests use small ones.
constexpr int defaultSeed = 1000;

void printFamilies(const std::string& strategy, const std::string& title,
                   const std::vector<std::string>& families, int searches, int seed)
{
    std::vector<RecordedSearch> all;
    for (const std::string& family : families) {
        std::vector<RecordedSearch> ofFamily;
        for (int search = 0; search < searches; ++search)
            ofFamily.push_back(searchOn(strategy, family, static_cast<std::uint64_t>(seed + search)));
        std::puts(figuresRow("  " + family, ofFamily).c_str());
        std::fflush(stdout);
        all.insert(all.end(), ofFamily.begin(), ofFamily.end());
    }
    std::puts(figuresRow(strategy + ", " + title, all).c_str());
}

} // namespace

int main(int argc, char** argv)
{
    const int searches = argc > 1 ? std::max(std::atoi(argv[1]), 1) : defaultSearches;
    const int seed = argc > 2 ? std::atoi(argv[2]) : defaultSeed;
    const std::string only = argc > 3 ? argv[3] : "";
    std::printf(
        "%d searches a family. Percent: exhst (share of the cost of trying every size), regret (mean; "
        "p95;\nmean at 1 and 2 ramps), within (2 %%), stated, confid (ended so), ece, p50..p95 (right "
        "when the\nconfidence first passes it). Ramps: cost over that of 1, 2, 4, ... to the limit. "
        "ms: an update.\n",
        searches);
    std::puts(figuresHeading().c_str());
    for (const std::string_view name : batchpeak::search::strategyNames()) {
        const std::string strategy(name);
        if (!only.empty() && strategy != only)
            continue;
        printFamilies(strategy, "calibration", calibrationFamilies(), searches, seed);
        printFamilies(strategy, "held out", heldOutFamilies(), searches, seed);
    }
    return 0;
}
