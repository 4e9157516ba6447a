// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_scatter.h"

#include <cmath>
#include <numeric>

namespace batchpeak::trial {

void RunScatter::add(std::int64_t microBatchSize, double seconds)
{
    m_logarithms[microBatchSize].push_back(std::log(seconds));
}

double RunScatter::relativeDeviation() const
{
    constexpr double usualDeviation = 0.01;
    double squares = usualDeviation * usualDeviation;
    double degreesOfFreedom = 1.0;
    bool repeated = false;
    for (const auto& [size, logarithms] : m_logarithms) {
        const auto count = static_cast<double>(logarithms.size());
        const double mean = std::reduce(logarithms.begin(), logarithms.end()) / count;
        for (const double logarithm : logarithms)
            squares += (logarithm - mean) * (logarithm - mean);
        degreesOfFreedom += count - 1;
        repeated = repeated || logarithms.size() > 1;
    }
    return repeated ? std::sqrt(squares / degreesOfFreedom) : 0.0;
}

} // namespace batchpeak::trial
