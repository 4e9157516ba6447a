// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_source.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace batchpeak::search {

RandomSource::RandomSource(std::uint64_t seed)
{
    for (std::uint64_t& word : m_state) {
        seed += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = seed;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        word = mixed ^ (mixed >> 31);
    }
}

std::uint64_t RandomSource::bits()
{
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t shifted = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= shifted;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
}

double RandomSource::uniform()
{
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double RandomSource::normal()
{
    if (m_secondNormal)
        return *std::exchange(m_secondNormal, std::nullopt);
    double x = 0.0;
    double y = 0.0;
    double squaredRadius = 0.0;
    do {
        x = 2.0 * uniform() - 1.0;
        y = 2.0 * uniform() - 1.0;
        squaredRadius = x * x + y * y;
    } while (squaredRadius >= 1.0 || squaredRadius == 0.0);
    const double scale = std::sqrt(-2.0 * std::log(squaredRadius) / squaredRadius);
    m_secondNormal = y * scale;
    return x * scale;
}

std::vector<std::size_t> resampleSystematically(std::span<const double> logWeights, int count,
                                                RandomSource& random)
{
    const double largest = *std::ranges::max_element(logWeights);
    std::vector<double> cumulated;
    double sum = 0.0;
    for (const double logWeight : logWeights) {
        sum += std::exp(logWeight - largest);
        cumulated.push_back(sum);
    }
    const double shift = random.uniform();
    std::vector<std::size_t> chosen;
    std::size_t index = 0;
    for (int draw = 0; draw < count; ++draw) {
        const double position = sum * (shift + draw) / count;
        while (index + 1 < cumulated.size() && cumulated[index] < position)
            ++index;
        chosen.push_back(index);
    }
    return chosen;
}

} // namespace batchpeak::search
