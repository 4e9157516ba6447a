// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy.h"

#include <cstdint>

namespace batchpeak::search {

/// A batch spread evenly over micro-batches: some have one sample more than the others.
struct EvenSpread
{
    std::int64_t size = 1;
    std::int64_t ofSize = 1;
    std::int64_t ofOneMore = 0;

    bool operator==(const EvenSpread&) const = default;
};

/// \p batch over as few micro-batches of at most \p microBatchSize as it takes.
EvenSpread evenSpread(std::int64_t batch, std::int64_t microBatchSize);

/// What a search maximises, from step times.
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
        const EvenSpread spread = evenSpread(m_batch, size);
        double seconds = m_optimizerSeconds + static_cast<double>(spread.ofSize) * secondsAt(spread.size);
        if (spread.ofOneMore > 0)
            seconds += static_cast<double>(spread.ofOneMore) * secondsAt(spread.size + 1);
        return static_cast<double>(m_batch) / seconds;
    }

    /// The time of one micro-batch [s] with which \p size reaches \p samplesPerSecond; 0 where none is
    /// short enough.
    double secondsFor(std::int64_t size, double samplesPerSecond) const;

private:
    Objective m_objective;
    std::int64_t m_batch;
    double m_optimizerSeconds;
};

} // namespace batchpeak::search
