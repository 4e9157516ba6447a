// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs searches on simulated and recorded devices, and prints the errors of their forecasts of the remaining
// time next to those of a perfect forecaster:
//     batchpeak-bench-time-left --help

#include "device_families.h"
#include "forecast_fit.h"
#include "restlessness.h"
#include "search_runner.h"
#include "statistics.h"
#include "time_left_figures.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace {

const std::string calm = "calm";

struct Options
{
    int searches = 3;
    /// First seed; differs from those that the weights are fitted on.
    std::uint64_t seed = 920000;
    std::vector<std::string> worlds;
    int floors = 1;
    int continuations = 20;
    double tolerancePercent = 2.0;
    int devices = 1;
    bool fits = false;
};

/// Differs from the seeds of all judges.
constexpr std::uint64_t fitSeed = 700000;
/// Worlds of the fit; the others judge it.
const std::vector<std::string> fittedWorlds{calm,      "two-speed", "bursts", "trial noise",
                                            "thermal", "heavy",     "beside", "crowded"};

struct Group
{
    std::vector<SearchRecord> records;
    std::vector<double> floor;

    void add(const Group& other)
    {
        records.insert(records.end(), other.records.begin(), other.records.end());
        floor.insert(floor.end(), other.floor.begin(), other.floor.end());
    }
};

Group searchesOn(const std::string& family, const std::string& world, const Options& options)
{
    Group group;
    group.records = runSearches(tasksOn({family}, options.searches,
                                        {.seed = options.seed,
                                         .world = world == calm ? std::string() : world,
                                         .tolerance = options.tolerancePercent / 100.0,
                                         .devices = options.devices}));
    for (int search = 0; search < std::min(options.floors, options.searches); ++search) {
        const std::vector<double> errors = errorsOfMedian(
            continuedSeconds(group.records[static_cast<std::size_t>(search)], options.continuations));
        group.floor.insert(group.floor.end(), errors.begin(), errors.end());
    }
    return group;
}

void printWeights(const char* name, std::span<const ForecastUpdate> lessons, double ForecastUpdate::*what)
{
    std::printf("%s", name);
    for (const double share : {0.5, 0.1, 0.9}) {
        std::printf("{");
        for (const double weight : fitForecast(lessons, what, share))
            std::printf("%.3f, ", weight);
        std::printf("}, ");
    }
    std::puts("");
}

void printQuantiles(const char* name, const std::vector<double>& values)
{
    std::printf("%s %.2f, %.2f, %.2f\n", name, quantile(values, 0.5), quantile(values, 0.1),
                quantile(values, 0.9));
}

/// Prints constants for core/search/strategies/trial_forecast.cpp and core/plan/plan_forecast.cpp: the
/// medians and the 10 % and 90 % quantiles.
void fit(const Options& options)
{
    std::vector<ForecastUpdate> lessons;
    std::vector<double> trials;
    std::vector<double> again;
    for (const std::string& world : fittedWorlds) {
        for (const DeviceGroup& devices : deviceGroups()) {
            std::vector<SearchTask> tasks = tasksOn(devices.families, options.searches,
                                                    {.seed = fitSeed,
                                                     .world = world == calm ? std::string() : world,
                                                     .tolerance = options.tolerancePercent / 100.0});
            const std::vector<SearchRecord> records = runSearches(tasks);
            for (SearchTask& task : tasks) {
                task.trialsOfSeed = 1;
                task.otherSeed = task.seed + 1;
            }
            const std::vector<SearchRecord> others = runSearches(tasks);
            for (std::size_t search = 0; search < records.size(); ++search) {
                const std::vector<ForecastUpdate> ofOne = forecastUpdates(records[search]);
                lessons.insert(lessons.end(), ofOne.begin(), ofOne.end());
                trials.push_back(static_cast<double>(records[search].moments.size()));
                again.push_back(others[search].last().seconds / records[search].last().seconds);
            }
        }
    }
    printWeights("trials: ", lessons, &ForecastUpdate::trials);
    printWeights("time: ", lessons, &ForecastUpdate::time);
    printQuantiles("trials of a whole search:", trials);
    printQuantiles("time of a search over that of one before on the same device:", again);
}

void print(const std::string& name, const Group& group)
{
    std::puts(timeLeftRow(name, group.records, group.floor).c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Searches on simulated and recorded devices: how well they tell the time that is left.");
    app.add_option("--searches", options.searches, "searches on each family in each world")
        ->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search; the next ones follow")
        ->capture_default_str();
    std::vector<std::string> worlds = restlessWorlds();
    worlds.insert(worlds.begin(), calm);
    app.add_option("--world", options.worlds, "this one alone; may be given again")
        ->check(CLI::IsMember(worlds));
    app.add_option("--floors", options.floors,
                   "of the searches on each family in each world, so many are gone on with by other chance")
        ->capture_default_str();
    app.add_option("--continuations", options.continuations, "how often")->capture_default_str();
    app.add_option("--tolerance", options.tolerancePercent, "percent")->capture_default_str();
    app.add_option("--devices", options.devices, "equal ones, side by side")->capture_default_str();
    app.add_flag("--fit", options.fits,
                 "print the constants of core/search and core/plan, and judge nothing");
    CLI11_PARSE(app, argc, argv);
    if (!options.worlds.empty())
        worlds = options.worlds;

    try {
        if (options.fits) {
            fit(options);
            return 0;
        }
        std::puts(timeLeftHeading().c_str());
        std::vector<Group> ofWorlds(worlds.size());
        Group all;
        for (const DeviceGroup& devices : deviceGroups()) {
            Group ofGroup;
            for (const std::string& family : devices.families) {
                Group ofFamily;
                for (std::size_t world = 0; world < worlds.size(); ++world) {
                    const Group searches = searchesOn(family, worlds[world], options);
                    ofFamily.add(searches);
                    ofWorlds[world].add(searches);
                }
                print("  " + family, ofFamily);
                ofGroup.add(ofFamily);
            }
            print(devices.title, ofGroup);
            all.add(ofGroup);
        }
        for (std::size_t world = 0; world < worlds.size(); ++world)
            print(worlds[world], ofWorlds[world]);
        print("all", all);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
