// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::search {

/// The only source of randomness in a search: uniform and normal draws that are the same for one seed with
/// every standard library, unlike those of <random>.
///
/// xoshiro256**: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021),
/// seeded by splitmix64 as they advise. Normal draws by Marsaglia's polar method, SIAM Review 6 (1964).
class RandomSource
{
public:
    explicit RandomSource(std::uint64_t seed);

    std::uint64_t bits();
    /// Returns u with 0 <= u < 1.
    double uniform();
    /// Returns a draw with mean 0 and standard deviation 1.
    double normal();

private:
    std::array<std::uint64_t, 4> m_state{};
    /// The second of the two draws that the polar method makes at a time.
    std::optional<double> m_secondNormal;
};

/// Returns the ascending indices of \p count draws from \p logWeights, which are known up to a constant. The
/// draws are at evenly spaced positions with one uniform shift (Kitagawa, Journal of Computational and
/// Graphical Statistics 5, 1996).
std::vector<std::size_t> resampleSystematically(std::span<const double> logWeights, int count,
                                                RandomSource& random);

} // namespace batchpeak::search
