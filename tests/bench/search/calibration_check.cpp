// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_check.h"

#include "statistics.h"
#include "table_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace {

constexpr double target = 0.95;
constexpr double convincing = 0.985;
constexpr std::array passages{0.5, 0.8, 0.9, 0.95};

/// The report at which the search would have stopped; the last one where it would not. Core/search demands
/// three good sizes beside, which nearly all reports have.
std::size_t stopOf(const std::vector<double>& stated)
{
    for (std::size_t report = 0; report < stated.size(); ++report) {
        const bool again = report > 0 && stated[report - 1] >= target;
        if (stated[report] >= convincing || (stated[report] >= target && again))
            return report;
    }
    return stated.size() - 1;
}

} // namespace

std::string calibrationCheckHeading()
{
    return "  loss   ece |  p50 p80 p90 p95 | at stop: within stated regret   p95 trials ramps";
}

std::string calibrationCheck(const CalibrationMap& map, std::span<const CalibrationReports> searches)
{
    std::vector<Statement> all;
    std::array<std::vector<double>, passages.size()> rightAtPassage;
    std::vector<double> within;
    std::vector<double> statedAtStop;
    std::vector<double> regrets;
    std::vector<double> trials;
    std::vector<double> ramps;
    double loss = 0.0;
    for (const CalibrationReports& reports : searches) {
        if (reports.empty())
            continue;
        const double weight = 1.0 / static_cast<double>(reports.size());
        std::vector<double> stated;
        for (const CalibrationReport& report : reports) {
            stated.push_back(std::clamp(map.probability(report.share, report.trials), 0.01, 0.99));
            all.push_back({stated.back(), report.isRight, weight});
            loss -= weight * std::log(report.isRight ? stated.back() : 1.0 - stated.back());
        }
        for (std::size_t passage = 0; passage < passages.size(); ++passage) {
            const auto first = std::ranges::find_if(
                stated, [&](double probability) { return probability >= passages.at(passage); });
            if (first != stated.end()) {
                const auto place = static_cast<std::size_t>(first - stated.begin());
                rightAtPassage.at(passage).push_back(reports[place].isRight ? 100.0 : 0.0);
            }
        }
        const std::size_t stop = stopOf(stated);
        within.push_back(reports[stop].isRight ? 100.0 : 0.0);
        statedAtStop.push_back(100.0 * stated[stop]);
        regrets.push_back(100.0 * reports[stop].regret);
        trials.push_back(reports[stop].trials);
        ramps.push_back(reports[stop].ramps);
    }
    if (within.empty())
        return " no search has a confidence";

    std::string text = cell(loss / static_cast<double>(within.size()), 6, 3) +
                       cell(100.0 * expectedCalibrationError(all), 6, 1) + " | ";
    for (const std::vector<double>& right : rightAtPassage)
        text += right.empty() ? std::string("   -") : cell(mean(right), 4, 0);
    return text + " |         " + cell(mean(within), 7, 1) + cell(mean(statedAtStop), 7, 1) +
           cell(mean(regrets), 7, 2) + cell(quantile(regrets, 0.95), 6, 2) +
           cell(quantile(trials, 0.5), 7, 0) + cell(quantile(ramps, 0.5), 6, 2);
}
