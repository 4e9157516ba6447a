// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "throughput.h"

#include <algorithm>

namespace batchpeak::search {

Throughput::Throughput(const SearchSpace& space, double optimizerSeconds)
    : m_objective(space.objective),
      m_batch(std::max<std::int64_t>(space.perDeviceBatch, 1)),
      m_optimizerSeconds(optimizerSeconds)
{}

double Throughput::secondsFor(std::int64_t size, double samplesPerSecond) const
{
    if (m_objective == Objective::Micro)
        return static_cast<double>(size) / samplesPerSecond;
    const double seconds = static_cast<double>(m_batch) / samplesPerSecond - m_optimizerSeconds;
    // Time grows with the samples, so that a micro-batch of the full size takes a proportional share of the
    // batch's time.
    return std::max(seconds, 0.0) * static_cast<double>(size) / static_cast<double>(m_batch);
}

double interpolatedSeconds(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds,
                           std::int64_t size)
{
    const auto above = std::ranges::lower_bound(sizes, size);
    if (above == sizes.end())
        return seconds.back() * static_cast<double>(size) / static_cast<double>(sizes.back());
    const auto index = static_cast<std::size_t>(above - sizes.begin());
    if (*above == size || index == 0)
        return seconds[index];
    const auto low = static_cast<double>(sizes[index - 1]);
    const double share = (static_cast<double>(size) - low) / (static_cast<double>(*above) - low);
    return (1.0 - share) * seconds[index - 1] + share * seconds[index];
}

} // namespace batchpeak::search
