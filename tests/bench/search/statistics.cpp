// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace {

constexpr std::size_t bins = 10;

} // namespace

double mean(std::span<const double> values)
{
    return values.empty() ? 0.0
                          : std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share)
{
    if (values.empty())
        return 0.0;
    const auto place =
        static_cast<std::ptrdiff_t>(std::round(share * static_cast<double>(values.size() - 1)));
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

double expectedCalibrationError(std::span<const Statement> statements)
{
    std::array<double, bins> excess{};
    double weight = 0.0;
    for (const Statement& statement : statements) {
        const auto bin = std::min(static_cast<std::size_t>(statement.stated * double{bins}), bins - 1);
        excess.at(bin) += statement.weight * (statement.stated - (statement.isRight ? 1.0 : 0.0));
        weight += statement.weight;
    }
    double error = 0.0;
    for (const double value : excess)
        error += std::abs(value);
    return weight > 0.0 ? error / weight : 0.0;
}
