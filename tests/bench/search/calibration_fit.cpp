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
#include <limits>
#include <vector>

using batchpeak::search::CalibrationTerms;

namespace {

constexpr auto termCount = static_cast<Eigen::Index>(CalibrationTerms{}.size());
using Vector = Eigen::Matrix<double, termCount, 1>;
using Matrix = Eigen::Matrix<double, termCount, termCount>;

constexpr int maxNewtonSteps = 50;
constexpr double convergedStep = 1e-9;
constexpr double ridge = 1e-3;
constexpr int passageRounds = 6;
/// Range of logits that users act on; a rise outside of it has almost no weight.
constexpr double lowestPassage = -1.0;
constexpr double highestPassage = 6.0;
constexpr double minRise = 0.1;

constexpr double target = 0.95;
constexpr std::array passages{0.5, 0.8, 0.9, 0.95};

double logistic(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

Vector vectorOf(const CalibrationTerms& terms)
{
    return Eigen::Map<const Vector>(terms.data());
}

/// Returns the report at which the search would have stopped, or the last one. core/search also requires
/// three good sizes, which nearly all reports have.
std::size_t stopOf(const CalibrationTerms& weights, const CalibrationReports& reports)
{
    const auto first = std::ranges::find_if(reports, [&](const CalibrationReport& report) {
        return probability(weights, report.terms) >= target;
    });
    return first == reports.end() ? reports.size() - 1 : static_cast<std::size_t>(first - reports.begin());
}

struct WeighedReport
{
    Vector terms;
    bool isRight = false;
    double weight = 1.0;
};

std::vector<WeighedReport> firstPassages(const CalibrationTerms& weights,
                                         std::span<const CalibrationReports> searches)
{
    std::vector<WeighedReport> passages;
    for (const CalibrationReports& reports : searches) {
        double highest = -std::numeric_limits<double>::infinity();
        for (const CalibrationReport& report : reports) {
            const Vector terms = vectorOf(report.terms);
            const double logit = terms.dot(vectorOf(weights));
            if (logit <= highest)
                continue;
            const double rise = std::clamp(logit, lowestPassage, highestPassage) -
                                std::clamp(highest, lowestPassage, highestPassage);
            passages.push_back({.terms = terms, .isRight = report.isRight, .weight = minRise + rise});
            highest = logit;
        }
    }
    return passages;
}

/// Returns the loss that the fit minimizes: the logarithmic loss and a ridge.
double lossOf(const Vector& weights, const std::vector<WeighedReport>& reports)
{
    double loss = 0.5 * ridge * weights.squaredNorm();
    for (const WeighedReport& report : reports) {
        const double logit = report.terms.dot(weights);
        loss += report.weight * std::log1p(std::exp(report.isRight ? -logit : logit));
    }
    return loss;
}

Vector mostLikely(Vector weights, const std::vector<WeighedReport>& reports)
{
    for (int step = 0; step < maxNewtonSteps; ++step) {
        Vector gradient = -ridge * weights;
        Matrix information = ridge * Matrix::Identity();
        for (const WeighedReport& report : reports) {
            const double p = logistic(report.terms.dot(weights));
            gradient += report.weight * ((report.isRight ? 1.0 : 0.0) - p) * report.terms;
            information += report.weight * p * (1.0 - p) * report.terms * report.terms.transpose();
        }
        Vector change = information.ldlt().solve(gradient);
        // If nearly all reports are right, full Newton steps diverge.
        const double loss = lossOf(weights, reports);
        while (change.norm() >= convergedStep && !(lossOf(weights + change, reports) <= loss))
            change *= 0.5;
        weights += change;
        if (change.norm() < convergedStep)
            break;
    }
    return weights;
}

} // namespace

double probability(const CalibrationTerms& weights, const CalibrationTerms& terms)
{
    return logistic(vectorOf(weights).dot(vectorOf(terms)));
}

CalibrationReports calibrationReports(const SearchRecord& record)
{
    CalibrationReports reports;
    int timed = 0;
    for (const SearchRecord::Moment& moment : record.moments) {
        timed += moment.outcome == batchpeak::trial::Outcome::Ok ? 1 : 0;
        if (timed >= 2 && moment.evidence) {
            reports.push_back({.terms = calibrationTerms(*moment.evidence),
                               .isRight = record.isRight(moment),
                               .regret = moment.regret,
                               .ramps = moment.ramps});
        }
    }
    return reports;
}

CalibrationTerms fitCalibration(std::span<const CalibrationReports> searches)
{
    // Starts with the uncalibrated share of paths.
    CalibrationTerms weights{0.0, 1.0};
    for (int round = 0; round < passageRounds; ++round)
        Eigen::Map<Vector>(weights.data()) = mostLikely(vectorOf(weights), firstPassages(weights, searches));
    return weights;
}

std::string calibrationCheckHeading()
{
    return "  ece |  p50 p80 p90 p95 | at stop: within stated regret   p95 trials ramps";
}

std::string calibrationCheck(const CalibrationTerms& weights, std::span<const CalibrationReports> searches)
{
    std::vector<Statement> all;
    std::array<std::vector<double>, passages.size()> rightAbovePassage;
    std::vector<double> within;
    std::vector<double> statedAtStop;
    std::vector<double> regrets;
    std::vector<double> trials;
    std::vector<double> ramps;
    for (const CalibrationReports& reports : searches) {
        if (reports.empty())
            continue;
        const std::size_t stop = stopOf(weights, reports);
        std::vector<double> stated;
        for (std::size_t report = 0; report <= stop; ++report) {
            stated.push_back(std::clamp(probability(weights, reports[report].terms), 0.01, 0.99));
            all.push_back({stated.back(), reports[report].isRight, 1.0 / static_cast<double>(stop + 1)});
        }
        for (std::size_t passage = 0; passage < passages.size(); ++passage) {
            const auto first =
                std::ranges::find_if(stated, [&](double p) { return p >= passages.at(passage); });
            if (first != stated.end()) {
                const auto place = static_cast<std::size_t>(first - stated.begin());
                rightAbovePassage.at(passage).push_back(100.0 *
                                                        ((reports[place].isRight ? 1.0 : 0.0) - *first));
            }
        }
        within.push_back(reports[stop].isRight ? 100.0 : 0.0);
        statedAtStop.push_back(100.0 * stated[stop]);
        regrets.push_back(100.0 * reports[stop].regret);
        trials.push_back(static_cast<double>(stop + 2));
        ramps.push_back(reports[stop].ramps);
    }
    if (within.empty())
        return " no search has a confidence";

    std::string text = cell(100.0 * expectedCalibrationError(all), 5, 1) + " | ";
    for (const std::vector<double>& right : rightAbovePassage)
        text += right.empty() ? std::string("   -") : cell(mean(right), 4, 0);
    return text + " |         " + cell(mean(within), 7, 1) + cell(mean(statedAtStop), 7, 1) +
           cell(mean(regrets), 7, 2) + cell(quantile(regrets, 0.95), 6, 2) +
           cell(quantile(trials, 0.5), 7, 0) + cell(quantile(ramps, 0.5), 6, 2);
}
