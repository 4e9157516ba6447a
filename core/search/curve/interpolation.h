// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace batchpeak::search {

/// The step time [s] at \p size, linear between the \p sizes at which it is known, and proportional to
/// the size above the largest of them.
///
/// \param sizes  ascending, at least one
inline double interpolatedSeconds(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds,
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
