// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs searches on simulated devices and prints, for each strategy, their cost and accuracy:
//     batchpeak-bench-search --help

#include "baselines.h"
#include "device_families.h"
#include "search/strategy.h"
#include "search_reports.h"
#include "search_runner.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using batchpeak::search::Objective;

namespace {

const std::string defaultStrategy = "posterior";

/// Request of a search.
struct Question
{
    std::string setting = "explore";
    /// Objective; empty for the default of the setting.
    std::string objective;
    double tolerancePercent = 2.0;
    int devices = 1;
    bool isDescribed = false;
    int earlierSearches = 0;
};

struct Options
{
    int searches = 10;
    /// First seed; the tests use small ones.
    std::uint64_t seed = 1000;
    std::vector<std::string> strategies;
    std::vector<std::string> families;
    std::string world;
    bool printsFamilies = false;
    Question question;
    bool neverStops = false;
    std::string tracedFamily;
    int worst = 0;
};

/// Questions other than that for the fastest of all sizes, with their titles.
const std::vector<std::pair<std::string, Question>> otherQuestions{
    {"auto: divisors of a batch, its whole step counts", {.setting = "auto"}},
    {"every size, the whole step of a batch counts", {.objective = "effective"}},
    {"tolerance 0.5 %", {.tolerancePercent = 0.5}},
    {"tolerance 1 %", {.tolerancePercent = 1.0}},
    {"tolerance 5 %", {.tolerancePercent = 5.0}},
    {"2 devices", {.devices = 2}},
    {"4 devices", {.devices = 4}},
    {"8 devices", {.devices = 8}},
    {"a description tells what a sample takes, to 20 %", {.isDescribed = true}},
    {"again, recalling the trials of a search the day before", {.earlierSearches = 1}}};

/// Returns a task without a family.
SearchTask taskOf(const Options& options, const std::string& strategy)
{
    const Question& question = options.question;
    const bool isAuto = question.setting == "auto";
    // As in the program, `auto` uses the user's batch and `explore` ignores it.
    const bool isEffective = question.objective.empty() ? isAuto : question.objective == "effective";
    SearchTask task{.strategy = strategy,
                    .seed = options.seed,
                    .world = options.world,
                    .divisorsOnly = isAuto,
                    .objective = isEffective ? Objective::Effective : Objective::Micro,
                    .tolerance = question.tolerancePercent / 100.0,
                    .devices = question.devices,
                    .isDescribed = question.isDescribed,
                    .earlierSearches = question.earlierSearches};
    if (options.neverStops)
        task.targetConfidence = 2.0;
    return task;
}

void printWorst(std::vector<SearchRecord> records, int count)
{
    std::ranges::stable_sort(records, std::ranges::greater(), [](const auto& r) { return r.last().regret; });
    records.resize(std::min(records.size(), static_cast<std::size_t>(std::max(count, 0))));
    for (const SearchRecord& record : records) {
        std::printf("    %-16s seed %llu: %.2f %% below the best, stated %.0f, %zu trials, %.2f ramps\n",
                    record.task.family.c_str(), static_cast<unsigned long long>(record.task.seed),
                    100.0 * record.last().regret, 100.0 * record.last().stated, record.moments.size(),
                    record.last().ramps);
    }
}

void printGroup(const Options& options, const std::string& strategy, const std::string& title,
                std::vector<std::string> families)
{
    if (!options.families.empty())
        std::erase_if(families, [&](const std::string& family) {
            return std::ranges::find(options.families, family) == options.families.end();
        });
    if (families.empty())
        return;
    const std::vector<SearchRecord> records =
        runSearches(tasksOn(families, options.searches, taskOf(options, strategy)));
    if (options.printsFamilies) {
        for (const std::string& family : families) {
            std::vector<SearchRecord> ofFamily;
            std::ranges::copy_if(records, std::back_inserter(ofFamily),
                                 [&](const SearchRecord& record) { return record.task.family == family; });
            std::puts(figuresRow("  " + family, ofFamily).c_str());
        }
    }
    std::puts(figuresRow(strategy + ", " + title, records).c_str());
    std::puts(intervalRows(records).c_str());
    std::fputs(truthLines(records).c_str(), stdout);
    printWorst(records, options.worst);
    std::fflush(stdout);
}

void printStrategies(const Options& options, const std::vector<std::string>& strategies)
{
    for (const std::string& strategy : strategies) {
        for (const DeviceGroup& group : deviceGroups())
            printGroup(options, strategy, group.title, group.families);
    }
}

std::vector<std::string> everyStrategy()
{
    std::vector<std::string> names;
    for (const std::string_view name : batchpeak::search::strategyNames())
        names.emplace_back(name);
    for (const std::string_view name : baselineNames())
        names.emplace_back(name);
    return names;
}

void printTable(const Options& options)
{
    std::printf(
        "%d searches on each device family, from seed %llu. from, to: 95 %% of what other searches would "
        "show.\n%s\n",
        options.searches, static_cast<unsigned long long>(options.seed), figuresHeading().c_str());
    printStrategies(options, options.strategies.empty() ? everyStrategy() : options.strategies);
}

void printOtherQuestions(Options options)
{
    for (const auto& [title, question] : otherQuestions) {
        std::printf("%s\n", title.c_str());
        options.question = question;
        printStrategies(options, {defaultStrategy});
    }
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app(
        "Searches on simulated and recorded devices: what each strategy costs and how right it is. "
        "Without a strategy, setting, objective, tolerance, number of devices or description all of them are "
        "shown.");
    app.add_option("--searches", options.searches, "searches on each family")->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search; the next ones follow")
        ->capture_default_str();
    app.add_option("--strategy", options.strategies, "this one alone; may be given again")
        ->check(CLI::IsMember(everyStrategy()));
    app.add_option("--family", options.families, "this one alone; may be given again");
    app.add_option("--world", options.world, "restlessness of the devices; without it they are calm")
        ->check(CLI::IsMember(restlessWorlds()));
    app.add_flag("--families", options.printsFamilies, "a row for each family too");
    app.add_option("--setting", options.question.setting, "allow every size, or divisors of a batch")
        ->check(CLI::IsMember({"explore", "auto"}))
        ->capture_default_str();
    app.add_option("--objective", options.question.objective, "default: micro in explore, effective in auto")
        ->check(CLI::IsMember({"micro", "effective"}));
    app.add_option("--devices", options.question.devices, "equal ones, side by side")->capture_default_str();
    app.add_flag("--described", options.question.isDescribed,
                 "a description of the network tells the memory of a sample, to 20 %");
    app.add_option("--repeated", options.question.earlierSearches,
                   "each search recalls the trials of so many before it, one a day, on the same devices");
    app.add_option("--tolerance", options.question.tolerancePercent, "percent")->capture_default_str();
    app.add_flag("--to-the-end", options.neverStops, "do not stop at any confidence");
    app.add_option("--worst", options.worst, "name so many searches with the largest regret");
    app.add_option("--trace", options.tracedFamily,
                   "one search on this family, with --seed and --strategy, trial by trial");
    CLI11_PARSE(app, argc, argv);

    try {
        if (!options.tracedFamily.empty()) {
            const std::string strategy =
                options.strategies.empty() ? defaultStrategy : options.strategies.front();
            SearchTask task = taskOf(options, strategy);
            task.family = options.tracedFamily;
            std::fputs(traceText(runSearch(task)).c_str(), stdout);
            return 0;
        }
        printTable(options);
        const bool asksForOne =
            std::ranges::any_of(std::array{"--strategy", "--setting", "--objective", "--devices",
                                           "--tolerance", "--described", "--repeated"},
                                [&](const char* option) { return app.count(option) > 0; });
        if (!asksForOne)
            printOtherQuestions(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
