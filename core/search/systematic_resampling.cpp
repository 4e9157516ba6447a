// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "systematic_resampling.h"

#include "random_source.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::search {

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
