// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "calibration_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>

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
        timed += moment.outcome == Measurement::Outcome::Ok ? 1 : 0;
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
