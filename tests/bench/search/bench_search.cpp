// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Searches on simulated devices and prints, strategy by strategy, what they cost and how right they were:
//     batchpeak-bench-search --help

#include "device_groups.h"
#include "search_figures.h"
#include "search_runner.h"
#include "search_trace.h"
#include "strategy_factory.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <vector>

using batchpeak::search::Objective;

namespace {

struct Options
{
    int searches = 10;
    /// The tests use small ones.
    std::uint64_t seed = 1000;
    std::string strategy;
    std::vector<std::string> families;
    bool printsFamilies = false;
    std::string setting = "explore";
    std::string objective;
    int devices = 1;
    double tolerancePercent = 2.0;
    bool neverStops = false;
    std::string tracedFamily;
    int worst = 0;
};

SearchTask taskOf(const Options& options, const std::string& strategy, const std::string& family,
                  std::uint64_t seed)
{
    const bool isAuto = options.setting == "auto";
    // As the program has it: the user's batch is known in `auto`, and of no account in `explore`.
    const bool isEffective = options.objective.empty() ? isAuto : options.objective == "effective";
    SearchTask task{.strategy = strategy,
                    .family = family,
                    .seed = seed,
                    .divisorsOnly = isAuto,
                    .objective = isEffective ? Objective::Effective : Objective::Micro,
                    .tolerance = options.tolerancePercent / 100.0,
                    .devices = options.devices};
    if (options.neverStops)
        task.targetConfidence = 2.0;
    return task;
}

std::vector<SearchRecord> searchesOf(const Options& options, const std::string& strategy,
                                     const std::vector<std::string>& families)
{
    std::vector<SearchTask> tasks;
    for (const std::string& family : families) {
        for (int search = 0; search < options.searches; ++search)
            tasks.push_back(
                taskOf(options, strategy, family, options.seed + static_cast<std::uint64_t>(search)));
    }
    return runSearches(tasks);
}

void printWorst(std::vector<SearchRecord> records, int count)
{
    std::ranges::stable_sort(records, std::ranges::greater(), [](const auto& r) { return r.last().regret; });
    for (const SearchRecord& record : records | std::views::take(count)) {
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
    const std::vector<SearchRecord> records = searchesOf(options, strategy, families);
    if (options.printsFamilies) {
        for (const std::string& family : families) {
            std::vector<SearchRecord> ofFamily;
            std::ranges::copy_if(records, std::back_inserter(ofFamily),
                                 [&](const SearchRecord& record) { return record.task.family == family; });
            std::puts(figuresRow("  " + family, ofFamily).c_str());
        }
    }
    std::puts(figuresRow(strategy + ", " + title, records).c_str());
    printWorst(records, options.worst);
    std::fflush(stdout);
}

void printTable(const Options& options)
{
    std::printf(
        "%d searches a family. Percent: exhst (share of the cost of trying every size), regret (mean; "
        "p95;\nmean at 1 and 2 ramps), within (the tolerance), stated, confid (ended so), ece, p50..p95 "
        "(right "
        "when the\nconfidence first passes it). Ramps: cost over that of 1, 2, 4, ... to the limit. "
        "ms: an update.\n",
        options.searches);
    std::puts(figuresHeading().c_str());
    for (const std::string_view name : batchpeak::search::strategyNames()) {
        const std::string strategy(name);
        if (!options.strategy.empty() && strategy != options.strategy)
            continue;
        for (const DeviceGroup& group : deviceGroups())
            printGroup(options, strategy, group.title, group.families);
    }
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Searches on simulated devices: what each strategy costs and how right it is.");
    app.add_option("--searches", options.searches, "searches on each family")->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search; the next ones follow")
        ->capture_default_str();
    app.add_option("--strategy", options.strategy, "this one alone");
    app.add_option("--family", options.families, "this one alone; may be given again");
    app.add_flag("--families", options.printsFamilies, "a row for each family too");
    app.add_option("--setting", options.setting, "allow every size, or divisors of a batch")
        ->check(CLI::IsMember({"explore", "auto"}))
        ->capture_default_str();
    app.add_option("--objective", options.objective, "default: micro in explore, effective in auto")
        ->check(CLI::IsMember({"micro", "effective"}));
    app.add_option("--devices", options.devices, "equal ones, side by side")->capture_default_str();
    app.add_option("--tolerance", options.tolerancePercent, "percent")->capture_default_str();
    app.add_flag("--to-the-end", options.neverStops, "do not stop at any confidence");
    app.add_option("--worst", options.worst, "name so many searches with the largest regret");
    app.add_option("--trace", options.tracedFamily,
                   "one search on this family, with --seed and --strategy, trial by trial");
    CLI11_PARSE(app, argc, argv);

    try {
        if (options.tracedFamily.empty()) {
            printTable(options);
        } else {
            const std::string strategy = options.strategy.empty() ? "posterior" : options.strategy;
            const SearchTask task = taskOf(options, strategy, options.tracedFamily, options.seed);
            std::fputs(traceText(runSearch(task)).c_str(), stdout);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
