// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Fits the weights of the stated confidence on searches that run to the end, on the calibration families and
// in every restless world. Checks them on data that was not fitted: in each world, with weights fitted
// without it, and on the held-out families:
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

/// Target confidence above any probability, so that no search stops early.
constexpr double unreachable = 2.0;
/// Whether a world is part of the fit. The others are only reported. In "rough", sizes differ at random from
/// all their neighbors, which no affordable number of trials can tell from noise. Programs that are noticed,
/// the noise of real sweeps, and noise that no other world has judge the fit.
bool isFitted(const std::string& world)
{
    return world != "seen" && world != "wild" && world != "rough" && world != "replayed";
}

struct Options
{
    int searches = 10;
    /// First seed; differs from those of the tests and of the bench.
    std::uint64_t seed = 500000;
};

/// Request of searches, and their world.
struct Situation
{
    std::string name;
    std::string world;
    SearchTask search;
    /// Whether only the world differs from the defaults.
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

/// Returns the weights fitted on all situations except those of one world.
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
