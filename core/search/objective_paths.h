// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "judgement.h"
#include "step_time_posterior.h"
#include "throughput.h"

#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::search {

/// Draws of the curve that is maximised, ln(samples/s) over size, out of draws of the step times.
class ObjectivePaths
{
public:
    ObjectivePaths(const SamplePaths& stepTimes, const Throughput& throughput);

    const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    std::size_t count() const { return m_count; }
    /// ln(samples/s) at every size.
    std::span<const double> path(std::size_t index) const
    {
        return std::span(m_values).subspan(index * m_sizes.size(), m_sizes.size());
    }
    /// \p size must be one of sizes().
    std::size_t columnOf(std::int64_t size) const;

    Judgement::MeasuredSize summary(std::int64_t size) const;
    /// Quantiles at sizes up to \p limit, about two hundred of them.
    std::vector<CurvePoint> curve(std::int64_t limit) const;

private:
    std::vector<std::int64_t> m_sizes;
    std::size_t m_count = 0;
    std::vector<double> m_values;
};

/// Geometric mean over the paths of the step time [s] at every size.
std::vector<double> typicalSeconds(const SamplePaths& stepTimes);

} // namespace batchpeak::search
