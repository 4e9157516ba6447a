// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "forecast_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>

using batchpeak::search::ForecastTerms;

namespace {

constexpr auto termCount = static_cast<Eigen::Index>(batchpeak::search::forecastTermCount);
using Vector = Eigen::Matrix<double, termCount, 1>;
using Matrix = Eigen::Matrix<double, termCount, termCount>;

constexpr int rounds = 100;
/// Lower bound of the deviations that weigh the lessons, in logarithms.
constexpr double minDeviation = 1e-3;
constexpr double ridge = 1e-6;
constexpr double minTime = 1e-2;

} // namespace

std::vector<ForecastUpdate> forecastUpdates(const SearchRecord& record)
{
    std::vector<ForecastUpdate> lessons;
    for (std::size_t place = 0; place + 1 < record.moments.size(); ++place) {
        const SearchRecord::Moment& moment = record.moments[place];
        if (!moment.forecastCase)
            continue;
        const double left = record.last().seconds - moment.seconds;
        lessons.push_back({.terms = forecastTerms(*moment.forecastCase),
                           .trials = static_cast<double>(record.moments.size() - place - 1),
                           .time = std::max(left / moment.forecastCase->meanSeconds, minTime)});
    }
    for (ForecastUpdate& lesson : lessons)
        lesson.weight = 1.0 / static_cast<double>(lessons.size());
    return lessons;
}

ForecastTerms fitForecast(std::span<const ForecastUpdate> lessons, double ForecastUpdate::*what, double share)
{
    ForecastTerms weights{};
    Eigen::Map<Vector> fitted(weights.data());
    for (int round = 0; round < rounds; ++round) {
        Matrix information = ridge * Matrix::Identity();
        Vector moment = Vector::Zero();
        for (const ForecastUpdate& lesson : lessons) {
            const Eigen::Map<const Vector> terms(lesson.terms.data());
            const double wanted = std::log(lesson.*what);
            const double deviation = wanted - terms.dot(fitted);
            const double weight = lesson.weight * (deviation > 0.0 ? share : 1.0 - share) /
                                  std::max(std::abs(deviation), minDeviation);
            information += weight * terms * terms.transpose();
            moment += weight * wanted * terms;
        }
        fitted = information.ldlt().solve(moment);
    }
    return weights;
}
