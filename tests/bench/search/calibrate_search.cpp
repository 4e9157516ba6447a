// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Fits the maps from shares of paths to confidences on searches that run to the end, on the families of
// calibration alone, and checks them on those held out:
//     batchpeak-calibrate-search --help

#include "calibration_fit.h"
#include "device_families.h"
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

struct Options
{
    int searches = 10;
    /// Away from the seeds of the tests and of the bench.
    std::uint64_t seed = 500000;
    std::vector<std::string> settings{"explore", "auto", "devices"};
    std::vector<double> tolerancePercents{0.5, 1.0, 2.0, 5.0};
    int devices = 4;
};

/// Above any probability: no search stops for it.
constexpr double unreachable = 2.0;

std::vector<CalibrationReports> reportsOf(const Options& options, const std::string& setting,
                                          double tolerance, const std::vector<std::string>& families)
{
    const SearchTask search{.seed = options.seed,
                            .divisorsOnly = setting == "auto",
                            .objective = setting == "auto" ? Objective::Effective : Objective::Micro,
                            .tolerance = tolerance,
                            .devices = setting == "devices" ? options.devices : 1,
                            .targetConfidence = unreachable};
    std::vector<CalibrationReports> reports;
    for (const SearchRecord& record : runSearches(tasksOn(families, options.searches, search)))
        reports.push_back(calibrationReports(record));
    std::erase_if(reports, [](const CalibrationReports& search) { return search.empty(); });
    return reports;
}

/// The map in use, as three numbers: it is a straight line in logit(share) and ln(trials).
CalibrationMap presentMap(const std::string& setting, double tolerance)
{
    const auto at = [&](double share, int trials) {
        const double probability =
            batchpeak::search::calibratedProbability({.tolerance = tolerance,
                                                      .divisorsOnly = setting == "auto",
                                                      .severalDevices = setting == "devices"},
                                                     share, trials);
        return std::log(probability / (1.0 - probability));
    };
    const double intercept = at(0.5, 8);
    return {.intercept = intercept,
            .slope = (at(0.9, 8) - intercept) / std::log(9.0),
            .growth = (at(0.5, 16) - intercept) / std::log(2.0)};
}

std::string fitOne(const Options& options, const std::string& setting, double tolerance)
{
    const auto fitted = reportsOf(options, setting, tolerance, calibrationFamilies());
    const auto heldOut = reportsOf(options, setting, tolerance, heldOutFamilies());
    const CalibrationMap map = fitCalibration(fitted);
    const CalibrationMap present = presentMap(setting, tolerance);
    const auto print = [&](const char* what, const CalibrationMap& checked, const auto& searches) {
        std::printf("%s %4.1f %%  %s %s\n", nameCell(setting, 8).c_str(), 100.0 * tolerance, what,
                    calibrationCheck(checked, searches).c_str());
    };
    print("new map, fitted on       ", map, fitted);
    print("new map, held out        ", map, heldOut);
    print("present map, calibration ", present, fitted);
    print("present map, held out    ", present, heldOut);
    std::fflush(stdout);
    return "    {" + cell(tolerance, 0, 3) + ", " + cell(map.intercept, 0, 3) + ", " + cell(map.slope, 0, 3) +
           ", " + cell(map.growth, 0, 3) + "}, // " + setting + ", " + std::to_string(fitted.size()) +
           " searches\n";
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Fits the maps from shares of paths to confidences.");
    app.add_option("--searches", options.searches, "searches on each family")->capture_default_str();
    app.add_option("--seed", options.seed, "of the first search; the next ones follow")
        ->capture_default_str();
    app.add_option("--setting", options.settings, "one of these alone; may be given again")
        ->check(CLI::IsMember({"explore", "auto", "devices"}))
        ->capture_default_str();
    app.add_option("--tolerance", options.tolerancePercents, "percent; may be given again")
        ->capture_default_str();
    app.add_option("--devices", options.devices, "how many there are in the setting 'devices'")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    std::puts("Percent: ece, right at the first passage of p, and at the stop that the map would make: "
              "within the\ntolerance, stated, regret (mean; 95th percentile). Medians: trials and ramps. "
              "Every search counts the same.");
    std::printf("%s%s\n", nameCell("", 42).c_str(), calibrationCheckHeading().c_str());
    try {
        std::string rows;
        for (const std::string& setting : options.settings) {
            for (const double percent : options.tolerancePercents)
                rows += fitOne(options, setting, percent / 100.0);
        }
        std::printf(
            "\nRows for core/search/strategies/calibration.cpp (tolerance, intercept, slope, growth):\n%s",
            rows.c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
