// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Random draws that depend only on the seed. Those of the distributions in <random> differ between standard
/// libraries.
class Chance
{
public:
    explicit Chance(std::uint64_t seed) : m_engine(seed) {}

    /// Returns a draw with 0 <= draw < count.
    std::size_t below(std::size_t count) { return std::size_t(m_engine() % count); }
    /// Returns a draw with low <= draw <= high.
    std::int64_t between(std::int64_t low, std::int64_t high)
    {
        return low + std::int64_t(below(std::size_t(high - low + 1)));
    }
    bool oneIn(std::size_t count) { return below(count) == 0; }
    template<typename Value>
    const Value& of(const std::vector<Value>& values)
    {
        return values[below(values.size())];
    }

private:
    std::mt19937_64 m_engine;
};

} // namespace batchpeak::config
