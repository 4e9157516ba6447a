// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden_section_baseline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace {

/// Ends within this of each other, in ln(size), enclose what is taken for the peak.
constexpr double closeEnough = 0.02;

} // namespace

std::optional<std::int64_t> GoldenSectionBaseline::nextSize()
{
    if (m_high == 0.0) {
        if (const auto size = nextTowardsLimit())
            return size;
        if (!hasRun())
            return std::nullopt;
        m_high = std::log(static_cast<double>(largestRun()));
    }
    while (m_high - m_low > closeEnough) {
        const double part = (m_high - m_low) / std::numbers::phi;
        const auto sizeAt = [this](double logSize) {
            const auto wanted = static_cast<std::int64_t>(std::llround(std::exp(logSize)));
            return candidates().atMost(std::max(wanted, candidates().smallest())).value();
        };
        const std::int64_t lower = sizeAt(m_high - part);
        const std::int64_t upper = sizeAt(m_low + part);
        for (const std::int64_t size : {lower, upper}) {
            if (!wasTried(size))
                return size;
        }
        if (speed(lower) > speed(upper))
            m_high = m_low + part;
        else
            m_low = m_high - part;
    }
    return std::nullopt;
}
