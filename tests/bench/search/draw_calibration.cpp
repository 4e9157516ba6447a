// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Draws how often stated confidences are right, on calm and restless devices, as SVG:
//     batchpeak-draw-calibration --help

#include "calibration_picture.h"
#include "device_families.h"
#include "restlessness.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Options
{
    int searches = 10;
    /// First seed; differs from those of the fit and of the tests.
    std::uint64_t seed = 900000;
    std::string file = "calibration.svg";
};

std::vector<CalibrationPanel> panelsOf(const Options& options)
{
    std::vector<CalibrationPanel> panels;
    const auto add = [&](const std::string& title, const std::vector<std::string>& families,
                         const std::string& world) {
        const SearchTask search{.seed = options.seed, .world = world};
        panels.push_back(
            {.title = title, .searches = runSearches(tasksOn(families, options.searches, search))});
        std::puts(title.c_str());
    };
    add("calm", calibrationFamilies(), {});
    for (const std::string& world : restlessWorlds())
        add(world, calibrationFamilies(), world);
    add("held out, calm", heldOutFamilies(), {});
    add("recorded", deviceGroups().back().families, {});
    return panels;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Draws how often stated confidences are right.");
    app.add_option("--searches", options.searches, "on each family")->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search")->capture_default_str();
    app.add_option("--file", options.file, "where the picture is written")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    try {
        std::ofstream file;
        file.exceptions(std::ios::failbit | std::ios::badbit);
        file.open(options.file);
        file << calibrationPicture(panelsOf(options));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
