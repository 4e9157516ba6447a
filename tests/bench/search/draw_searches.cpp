// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Draws one search on each family of devices, as SVG:
//     batchpeak-draw-searches --help

#include "device_families.h"
#include "search_reports.h"
#include "search_runner.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Options
{
    std::vector<std::string> families;
    std::string strategy = "posterior";
    std::uint64_t seed = 1000;
    int searches = 1;
    double tolerancePercent = 2.0;
    std::string folder = "pictures";
};

std::vector<SearchTask> tasksOf(const Options& options)
{
    std::vector<std::string> families = options.families;
    if (families.empty()) {
        for (const DeviceGroup& group : deviceGroups())
            families.insert(families.end(), group.families.begin(), group.families.end());
    }
    return tasksOn(
        families, options.searches,
        {.strategy = options.strategy, .seed = options.seed, .tolerance = options.tolerancePercent / 100.0});
}

/// \throws std::filesystem::filesystem_error, std::ios_base::failure if it cannot be written
std::filesystem::path write(const SearchRecord& record, const std::filesystem::path& folder)
{
    std::string name = record.task.family + "-" + std::to_string(record.task.seed) + ".svg";
    std::ranges::replace(name, ' ', '-');
    std::filesystem::create_directories(folder);
    std::ofstream file;
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.open(folder / name);
    file << searchPicture(record);
    return folder / name;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Draws searches on simulated devices: the true curve, what was believed, the trials.");
    app.add_option("--family", options.families, "this one alone; may be given again");
    app.add_option("--strategy", options.strategy)->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search")->capture_default_str();
    app.add_option("--searches", options.searches, "pictures of each family")->capture_default_str();
    app.add_option("--tolerance", options.tolerancePercent, "percent")->capture_default_str();
    app.add_option("--folder", options.folder, "where the pictures are written")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    try {
        for (const SearchRecord& record : runSearches(tasksOf(options)))
            std::puts(write(record, options.folder).c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
