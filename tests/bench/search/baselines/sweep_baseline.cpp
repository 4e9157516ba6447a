// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_baseline.h"

#include <algorithm>

namespace {

constexpr int points = 64;

} // namespace

std::optional<std::int64_t> SweepBaseline::nextSize()
{
    if (!m_hasPlan) {
        if (const auto size = nextClimb(2.0))
            return size;
        if (!hasRun())
            return std::nullopt;
        m_hasPlan = true;
        for (int point = 1; point <= points; ++point)
            m_plan.push_back(predictedLimit() * point / points);
    }
    while (m_next < m_plan.size()) {
        if (const auto size = untried(m_plan[m_next++]))
            return size;
    }
    return std::nullopt;
}

double SweepBaseline::predictedLimit() const
{
    const auto largest = static_cast<double>(largestRun());
    if (sizesRun() < 2 || !smallestFailure())
        return largest;
    const double perSample = (peakBytes(largestRun()) - peakBytes(secondLargestRun())) /
                             (largest - static_cast<double>(secondLargestRun()));
    const double room = static_cast<double>(space().memoryLimitBytes) - peakBytes(largestRun());
    const double below = static_cast<double>(*smallestFailure()) - 1.0;
    return perSample > 0.0 ? std::min(largest + room / perSample, below) : below;
}
