// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "closest_word.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace batchpeak::cli {

namespace {

/// Levenshtein's distance, one row of the table at a time.
std::size_t editDistance(std::string_view from, std::string_view to)
{
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char letter : from) {
        std::size_t diagonal = row.front()++;
        for (std::size_t column = 1; column < row.size(); ++column) {
            const std::size_t changed = diagonal + (letter == to[column - 1] ? 0 : 1);
            diagonal = row[column];
            row[column] = std::min({row[column] + 1, row[column - 1] + 1, changed});
        }
    }
    return row.back();
}

} // namespace

std::optional<std::string> closestWord(std::string_view typed, std::span<const std::string> words)
{
    std::optional<std::string> closest;
    std::size_t least = typed.size() / 3 + 1;
    for (const std::string& word : words) {
        const std::size_t distance = editDistance(typed, word);
        if (distance < least) {
            least = distance;
            closest = word;
        }
    }
    return closest;
}

} // namespace batchpeak::cli
