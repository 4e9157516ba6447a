// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_fit.h"

#include "statistics.h"
#include "table_text.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using batchpeak::search::Measurement;

namespace {

// As in core/search/strategies/calibration.cpp.
constexpr double leastShare = 0.005;
constexpr double usualTrials = 8.0;

constexpr int mostNewtonSteps = 50;
constexpr double convergedStep = 1e-9;
constexpr double ridgePerSearch = 1e-6;

Eigen::Vector3d featuresOf(double share, int trials)
{
    const double clipped = std::clamp(share, leastShare, 1.0 - leastShare);
    return {1.0, std::log(clipped / (1.0 - clipped)), std::log(std::max(trials, 1) / usualTrials)};
}

double logistic(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

/// What the fit makes small: logarithmic loss, each search counting the same, and a ridge.
double lossOf(const Eigen::Vector3d& map, std::span<const CalibrationReports> searches, double ridge)
{
    double loss = 0.5 * ridge * map.squaredNorm();
    for (const CalibrationReports& reports : searches) {
        for (const CalibrationReport& report : reports) {
            const double logit = featuresOf(report.share, report.trials).dot(map);
            loss +=
                std::log1p(std::exp(report.isRight ? -logit : logit)) / static_cast<double>(reports.size());
        }
    }
    return loss;
}

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

double CalibrationMap::probability(double share, int trials) const
{
    return logistic(featuresOf(share, trials).dot(Eigen::Vector3d(intercept, slope, growth)));
}

CalibrationReports calibrationReports(const SearchRecord& record)
{
    CalibrationReports reports;
    int trials = 0;
    int timed = 0;
    for (const SearchRecord::Moment& moment : record.moments) {
        ++trials;
        timed += moment.outcome == batchpeak::trial::Outcome::Ok ? 1 : 0;
        if (timed >= 2 && moment.share) {
            reports.push_back({.share = *moment.share,
                               .trials = trials,
                               .isRight = record.isRight(moment),
                               .regret = moment.regret,
                               .ramps = moment.ramps});
        }
    }
    return reports;
}

CalibrationMap fitCalibration(std::span<const CalibrationReports> searches)
{
    const double ridge = ridgePerSearch * static_cast<double>(searches.size());
    Eigen::Vector3d map(0.0, 1.0, 0.0);
    for (int step = 0; step < mostNewtonSteps; ++step) {
        Eigen::Vector3d gradient = -ridge * map;
        Eigen::Matrix3d information = ridge * Eigen::Matrix3d::Identity();
        for (const CalibrationReports& reports : searches) {
            for (const CalibrationReport& report : reports) {
                const double weight = 1.0 / static_cast<double>(reports.size());
                const Eigen::Vector3d features = featuresOf(report.share, report.trials);
                const double probability = logistic(features.dot(map));
                gradient += weight * ((report.isRight ? 1.0 : 0.0) - probability) * features;
                information += weight * probability * (1.0 - probability) * features * features.transpose();
            }
        }
        Eigen::Vector3d change = information.ldlt().solve(gradient);
        // Where nearly all are right the full step leads far away and never back.
        const double loss = lossOf(map, searches, ridge);
        while (change.norm() >= convergedStep && !(lossOf(map + change, searches, ridge) <= loss))
            change *= 0.5;
        map += change;
        if (change.norm() < convergedStep)
            break;
    }
    return {.intercept = map[0], .slope = map[1], .growth = map[2]};
}

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
