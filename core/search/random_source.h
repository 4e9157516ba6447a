// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::search {

/// All the chance in a search: uniform and normal draws that are the same for one seed on every standard
/// library, which those of <random> are not.
///
/// xoshiro256**: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47
/// (2021), seeded by splitmix64 as they advise. Normal draws by Marsaglia's polar method, SIAM Review 6
/// (1964).
class RandomSource
{
public:
    explicit RandomSource(std::uint64_t seed);

    std::uint64_t bits();
    /// 0 <= u < 1
    double uniform();
    /// Mean 0, standard deviation 1.
    double normal();

private:
    std::array<std::uint64_t, 4> m_state{};
    /// The polar method makes two at a time.
    std::optional<double> m_secondNormal;
};

/// Indices of \p count draws from \p logWeights (up to a constant): evenly spaced positions, one uniform
/// shift (Kitagawa, Journal of Computational and Graphical Statistics 5, 1996). Ascending.
std::vector<std::size_t> resampleSystematically(std::span<const double> logWeights, int count,
                                                RandomSource& random);

} // namespace batchpeak::search
