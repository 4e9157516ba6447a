// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accumulation/micro_batches.h"
#include "strategy.h"

#include <cstdint>
#include <vector>

namespace batchpeak::search {

/// The quantity that a search maximizes, computed from step times.
class Throughput
{
public:
    /// \param optimizerSeconds  time of an optimizer step with its all-reduce [s], for Objective::Effective
    Throughput(const SearchSpace& space, double optimizerSeconds);

    /// Whether the samples/s at a size follow from the time of a micro-batch of that size alone.
    bool dependsOnOneTime() const { return m_objective == Objective::Micro; }

    /// Samples per second at \p size, where secondsAt(m) is the time of one micro-batch of m samples [s].
    template<typename SecondsAt>
    double samplesPerSecond(std::int64_t size, const SecondsAt& secondsAt) const
    {
        if (m_objective == Objective::Micro)
            return static_cast<double>(size) / secondsAt(size);
        const auto spread = accumulation::evenSpread(m_batch, size);
        double seconds = m_optimizerSeconds + static_cast<double>(spread.ofSize) * secondsAt(spread.size);
        if (spread.ofOneMore > 0)
            seconds += static_cast<double>(spread.ofOneMore) * secondsAt(spread.size + 1);
        return static_cast<double>(m_batch) / seconds;
    }

    /// Returns the time of one micro-batch [s] with which \p size reaches \p samplesPerSecond; 0 if no time
    /// is short enough.
    double secondsFor(std::int64_t size, double samplesPerSecond) const;

private:
    Objective m_objective;
    std::int64_t m_batch;
    double m_optimizerSeconds;
};

/// Returns the step time [s] at \p size: linear between the \p sizes at which it is known, and proportional
/// to the size above the largest of them.
///
/// \param sizes  ascending, at least one
double interpolatedSeconds(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds,
                           std::int64_t size);

} // namespace batchpeak::search
