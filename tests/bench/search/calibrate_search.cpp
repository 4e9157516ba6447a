// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Fits the weights behind the stated confidence on searches that run to the end, on the families of
// calibration and in every restless world, and checks them where nothing was fitted: in each world by weights
// fitted without it, and on the families held out:
//     batchpeak-calibrate-search --help

#include "calibration_fit.h"
#include "device_families.h"
#include "restlessness.h"
#include "search/strategies/calibration.h"
#include "search_runner.h"
#include "table_text.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

using batchpeak::search::Objective;

namespace {

/// Above any probability: no search stops for it.
constexpr double unreachable = 2.0;
/// Reported, and not fitted: sizes that differ at random from all their neighbors can be told from noise by
/// no number of trials that one would spend; the noise of real sweeps, programs that are seen, and noise that
/// no other world has are to judge the fit.
bool isFitted(const std::string& world)
{
    return world != "seen" && world != "wild" && world != "rough" && world != "replayed";
}

struct Options
{
    int searches = 10;
    /// Away from the seeds of the tests and of the bench.
    std::uint64_t seed = 500000;
};

/// What searches were asked, and in which world.
struct Situation
{
    std::string name;
    std::string world;
    SearchTask search;
    /// Nothing but the world differs from what most people ask.
    bool isDefault = false;
    std::vector<CalibrationReports> reports;
    std::vector<CalibrationReports> heldOut;
};

std::vector<Situation> situations()
{
    std::vector<Situation> all;
    std::vector<std::string> worlds = restlessWorlds();
    worlds.insert(worlds.begin(), std::string());
    for (const std::string& world : worlds) {
        const std::string name = world.empty() ? "calm" : world;
        all.push_back({.name = name, .world = world, .search = {}, .isDefault = true});
        if (!isFitted(world))
            continue;
        for (const double percent : {0.5, 1.0, 5.0}) {
            all.push_back({.name = name + ", " + cell(percent, 0, 1) + " %",
                           .world = world,
                           .search = {.tolerance = percent / 100.0}});
        }
        all.push_back({.name = name + ", divisors",
                       .world = world,
                       .search = {.divisorsOnly = true, .objective = Objective::Effective}});
        all.push_back({.name = name + ", 4 devices", .world = world, .search = {.devices = 4}});
    }
    return all;
}

std::vector<CalibrationReports> reportsOf(const SearchTask& search, int searches,
                                          const std::vector<std::string>& families)
{
    std::vector<CalibrationReports> reports;
    for (const SearchRecord& record : runSearches(tasksOn(families, searches, search)))
        reports.push_back(calibrationReports(record));
    std::erase_if(reports, [](const CalibrationReports& ofOne) { return ofOne.empty(); });
    return reports;
}

/// Fitted on all situations but those of one world.
batchpeak::search::CalibrationTerms fitWithout(const std::string& name, const std::vector<Situation>& all)
{
    std::vector<CalibrationReports> reports;
    for (const Situation& situation : all) {
        const bool isLeftOut = situation.name.starts_with(name) && !name.empty();
        if (isFitted(situation.world) && !isLeftOut)
            reports.insert(reports.end(), situation.reports.begin(), situation.reports.end());
    }
    return fitCalibration(reports);
}

void print(const Situation& situation, const char* what, const batchpeak::search::CalibrationTerms& weights,
           const std::vector<CalibrationReports>& reports)
{
    std::printf("%s %-24s %s\n", nameCell(situation.name, 22).c_str(), what,
                calibrationCheck(weights, reports).c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Fits the weights behind the stated confidence.");
    app.add_option("--searches", options.searches,
                   "searches on each family; half as many where more is asked than usual")
        ->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search; the next ones follow")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    std::puts("Percent: ece, right less stated at the first passage of p, and at the stop that the weights "
              "would make: "
              "within\nthe tolerance, stated, regret (mean; 95th percentile). Medians: trials and ramps. "
              "Every search counts the same.");
    std::printf("%s%s\n", nameCell("", 48).c_str(), calibrationCheckHeading().c_str());
    try {
        std::vector<Situation> all = situations();
        for (Situation& situation : all) {
            SearchTask search = situation.search;
            search.seed = options.seed;
            search.world = situation.world;
            search.targetConfidence = unreachable;
            const int searches = situation.isDefault ? options.searches : (options.searches + 1) / 2;
            situation.reports = reportsOf(search, searches, calibrationFamilies());
            if (situation.isDefault)
                situation.heldOut = reportsOf(search, searches, heldOutFamilies());
            print(situation, "present weights", batchpeak::search::calibrationWeights(), situation.reports);
        }
        const batchpeak::search::CalibrationTerms weights = fitWithout({}, all);
        for (const Situation& situation : all) {
            const std::string world = situation.world.empty() ? "calm" : situation.world;
            print(situation, "fitted", weights, situation.reports);
            print(situation, "fitted without the world", fitWithout(world, all), situation.reports);
            if (situation.isDefault)
                print(situation, "held-out families", weights, situation.heldOut);
        }
        std::puts("\nWeights for core/search/strategies/calibration.cpp:");
        for (const double weight : weights)
            std::printf("%.3f, ", weight);
        std::puts("");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
