// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace batchpeak::data {

/// Which sample stands at each place of an epoch: a permutation that depends on seed and epoch alone, the
/// same with every compiler.
class SampleOrder
{
public:
    SampleOrder(std::int64_t samples, std::uint64_t seed) : m_samples(samples), m_seed(seed) {}

    /// \param place  from 0 to below the number of samples
    std::int64_t at(std::int64_t epoch, std::int64_t place) const;

private:
    void shuffle(std::int64_t epoch) const;

    std::int64_t m_samples;
    std::uint64_t m_seed;
    /// Of the epoch asked for last.
    mutable std::int64_t m_epoch = -1;
    mutable std::vector<std::int64_t> m_order;
};

} // namespace batchpeak::data
