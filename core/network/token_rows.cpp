// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "token_rows.h"

#include "data/token_source.h"

#include <algorithm>

namespace batchpeak::network {

std::int64_t tokensIn(const SampleRow& row)
{
    return std::ranges::find(row.tokens, data::noToken) - row.tokens.begin();
}

void writeInputs(std::span<const std::int64_t> tokens, std::span<std::int64_t> inputs)
{
    std::ranges::replace_copy(tokens, inputs.begin(), data::noToken, std::int64_t{0});
}

void writeTargets(std::span<const std::int64_t> tokens, std::span<std::int64_t> targets)
{
    const auto end = std::ranges::replace_copy(tokens, targets.begin(), data::noToken, ignoredTarget).out;
    std::fill(end, targets.end(), ignoredTarget);
}

} // namespace batchpeak::network
