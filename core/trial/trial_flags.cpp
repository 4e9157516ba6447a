// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_flags.h"

#include <algorithm>

namespace batchpeak::trial {

std::string disturbedBy(std::string_view reason)
{
    return std::string(flag::disturbed).append(": ").append(reason);
}

bool hasFlag(const std::vector<std::string>& flags, std::string_view word)
{
    return std::ranges::any_of(flags, [word](std::string_view flag) {
        return flag.starts_with(word) && (flag.size() == word.size() || flag[word.size()] == ':');
    });
}

} // namespace batchpeak::trial
