// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_gate.h"

#include <array>
#include <charconv>
#include <limits>

namespace batchpeak::worker {

std::string roundedText(double value, int decimals)
{
    // Space for any double in full, its sign, the point and some decimals.
    std::array<char, std::numeric_limits<double>::max_exponent10 + 40> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
    return {text.data(), end};
}

} // namespace batchpeak::worker
