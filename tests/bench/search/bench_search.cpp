// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Searches on simulated devices and prints, family by family, what they cost and how right they were:
//     batchpeak-bench-search [SEARCHES PER FAMILY]

#include "simulated_device.h"
#include "strategy_factory.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace batchpeak::search;

namespace {

constexpr int defaultSearches = 20;
/// Seeds of the worlds; the tests use small ones.
constexpr std::uint64_t firstSeed = 1000;

/// A report of the confidence before the end, and whether it was right.
struct Report
{
    double stated = 0.0;
    bool isRight = false;
};

struct SearchFigures
{
    int trials = 0;
    int failures = 0;
    double costInRamps = 0.0;
    double regretPercent = 0.0;
    double statedPercent = 0.0;
    bool isConfident = false;
    double slowestUpdateMilliseconds = 0.0;
    std::vector<double> updateMilliseconds;
    std::vector<Report> reports;
};

double rampSeconds(const SimulatedDevice& device)
{
    constexpr double setupSeconds = 0.5;
    constexpr double steps = 4.5 + 5.0;
    double seconds = 0.0;
    for (std::int64_t size = 1; size <= device.largestFit(); size *= 2)
        seconds += setupSeconds + steps * device.world().seconds(size);
    return seconds;
}

SearchFigures searchOnce(const std::string& family, std::uint64_t seed)
{
    SimulatedDevice device(simulatedWorld(family, seed), seed);
    const SearchSpace space = device.space();
    const auto strategy = makeStrategy("ramp", space);
    SearchFigures figures;
    double seconds = 0.0;
    while (const auto proposal = strategy->next({})) {
        const Measurement trial = device.run(*proposal);
        seconds += trial.wallSeconds;
        ++figures.trials;
        figures.failures += trial.outcome == Measurement::Outcome::DoesNotFit ? 1 : 0;
        const auto start = std::chrono::steady_clock::now();
        strategy->record(trial);
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
        figures.updateMilliseconds.push_back(taken.count());
        if (const auto& recommendation = strategy->outlook().recommendation) {
            figures.reports.push_back(
                {.stated = recommendation->confidence / 100.0,
                 .isRight = device.performance(recommendation->size) >= 1.0 - space.tolerance});
        }
    }
    figures.costInRamps = seconds / rampSeconds(device);
    figures.isConfident = strategy->outlook().status == Outlook::Status::Confident;
    if (const auto& recommendation = strategy->outlook().recommendation) {
        figures.regretPercent = 100.0 * (1.0 - device.performance(recommendation->size));
        figures.statedPercent = recommendation->confidence;
    }
    return figures;
}

double quantile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Mean over ten bins of |stated - right|, weighted by the reports in them.
double expectedCalibrationError(const std::vector<Report>& reports)
{
    struct Bin
    {
        double stated = 0.0;
        double right = 0.0;
    };
    std::array<Bin, 10> bins;
    for (const Report& report : reports) {
        Bin& bin = bins.at(std::min<std::size_t>(static_cast<std::size_t>(report.stated * 10.0), 9));
        bin.stated += report.stated;
        bin.right += report.isRight ? 1.0 : 0.0;
    }
    double error = 0.0;
    for (const Bin& bin : bins)
        error += std::abs(bin.stated - bin.right);
    return error / static_cast<double>(reports.size());
}

void printRow(const std::string& name, const std::vector<SearchFigures>& searches)
{
    const auto count = static_cast<double>(searches.size());
    std::vector<double> trials;
    std::vector<double> costs;
    std::vector<double> regrets;
    std::vector<double> updates;
    std::vector<Report> reports;
    double stated = 0.0;
    double within = 0.0;
    double confident = 0.0;
    double confidentWithin = 0.0;
    double failures = 0.0;
    for (const SearchFigures& search : searches) {
        const bool isWithin = search.regretPercent <= 2.0;
        trials.push_back(search.trials);
        costs.push_back(search.costInRamps);
        regrets.push_back(search.regretPercent);
        updates.insert(updates.end(), search.updateMilliseconds.begin(), search.updateMilliseconds.end());
        reports.insert(reports.end(), search.reports.begin(), search.reports.end());
        stated += search.statedPercent / count;
        within += (isWithin ? 100.0 : 0.0) / count;
        confident += search.isConfident ? 1.0 : 0.0;
        confidentWithin += search.isConfident && isWithin ? 1.0 : 0.0;
        failures += search.failures / count;
    }
    double regretSum = 0.0;
    for (const double regret : regrets)
        regretSum += regret;
    std::printf("%-14s %6.0f %6.2f %7.2f %7.2f %6.0f %6.0f %9.0f%% %9.0f%% %5.2f %5.1f %6.1f %6.1f\n",
                name.c_str(), quantile(trials, 0.5), quantile(costs, 0.5), regretSum / count,
                quantile(regrets, 0.95), within, stated, 100.0 * confident / count,
                confident > 0.0 ? 100.0 * confidentWithin / confident : 0.0, failures,
                100.0 * expectedCalibrationError(reports), quantile(updates, 0.5), quantile(updates, 1.0));
}

} // namespace

int main(int argc, char** argv)
{
    const int searches = argc > 1 ? std::max(std::atoi(argv[1]), 1) : defaultSearches;
    std::printf(
        "%d searches a family; regret and shares in percent, cost in ramps (1, 2, 4, ... to the limit)\n",
        searches);
    std::printf("%-14s %6s %6s %7s %7s %6s %6s %10s %10s %5s %5s %6s %6s\n", "family", "trials", "ramps",
                "regret", "p95", "within", "stated", "confident", "of them ok", "oom", "ece", "ms", "ms max");
    std::vector<SearchFigures> all;
    for (const std::string& family : simulatedFamilies()) {
        std::vector<SearchFigures> figures;
        for (int search = 0; search < searches; ++search)
            figures.push_back(searchOnce(family, firstSeed + static_cast<std::uint64_t>(search)));
        printRow(family, figures);
        all.insert(all.end(), figures.begin(), figures.end());
    }
    printRow("all", all);
    return 0;
}
