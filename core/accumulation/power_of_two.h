// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace batchpeak::accumulation {

/// The largest power of two that is at most \p number (at least 1): how torchtune's RFC rounds a maximum.
inline std::int64_t powerOfTwoAtMost(std::int64_t number)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
}

} // namespace batchpeak::accumulation
