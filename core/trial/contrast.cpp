// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "contrast.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace batchpeak::trial {

namespace {

/// Logarithm of one size's samples/s in each round, and their mean.
struct Row
{
    std::int64_t size = 0;
    std::vector<double> rounds;
    double mean = 0.0;
};

double meanOf(const std::vector<double>& values)
{
    double sum = 0.0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

Row rowOf(const ComparedRecord& compared, std::size_t visits)
{
    const auto logarithm = [&](std::size_t visit) {
        return std::log(compared.visits[visit].samplesPerSecond);
    };
    Row row{.size = compared.microBatchSize};
    if (visits == 1)
        row.rounds.push_back(logarithm(0));
    for (std::size_t back = 1; back < visits; back += 2)
        row.rounds.push_back(0.5 * (logarithm(back - 1) + logarithm(back)));
    row.mean = meanOf(row.rounds);
    return row;
}

/// Returns the standard error of the difference between two rows; nothing if there is only one round.
std::optional<double> standardErrorOf(const std::vector<Row>& rows)
{
    const std::size_t rounds = rows.front().rounds.size();
    if (rounds < 2)
        return std::nullopt;
    double sumOfSquares = 0.0;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<double> deviations;
        deviations.reserve(rows.size());
        for (const Row& row : rows)
            deviations.push_back(row.rounds[round] - row.mean);
        const double ofAll = meanOf(deviations);
        for (const double deviation : deviations)
            sumOfSquares += (deviation - ofAll) * (deviation - ofAll);
    }
    const auto freedom = static_cast<double>((rows.size() - 1) * (rounds - 1));
    return std::sqrt(2.0 * sumOfSquares / freedom / static_cast<double>(rounds));
}

} // namespace

std::optional<Contrast> contrastOf(const std::vector<ComparedRecord>& compared)
{
    std::size_t visits = 0;
    for (const ComparedRecord& size : compared) {
        if (!size.visits.empty())
            visits = visits == 0 ? size.visits.size() : std::min(visits, size.visits.size());
    }
    std::vector<Row> rows;
    for (const ComparedRecord& size : compared) {
        if (!size.visits.empty())
            rows.push_back(rowOf(size, visits));
    }
    if (rows.size() < 2)
        return std::nullopt;
    std::ranges::stable_sort(rows, std::ranges::greater(), &Row::mean);
    return Contrast{.leader = rows[0].size,
                    .runnerUp = rows[1].size,
                    .lead = std::expm1(rows[0].mean - rows[1].mean),
                    .standardError = standardErrorOf(rows)};
}

} // namespace batchpeak::trial
