// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "line_difference.h"

#include <algorithm>

namespace batchpeak::config {

namespace {

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        lines.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return lines;
}

} // namespace

LineDifference lineDifference(const std::string& before, const std::string& after)
{
    const auto from = linesOf(before);
    const auto to = linesOf(after);
    // common[i][j] is the length of the longest common subsequence of the lines from i and from j on.
    std::vector<std::vector<int>> common(from.size() + 1, std::vector<int>(to.size() + 1, 0));
    for (std::size_t i = from.size(); i-- > 0;) {
        for (std::size_t j = to.size(); j-- > 0;)
            common[i][j] =
                from[i] == to[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
    LineDifference difference;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < from.size() || j < to.size()) {
        if (i < from.size() && j < to.size() && from[i] == to[j]) {
            ++i;
            ++j;
        } else if (j == to.size() || (i < from.size() && common[i + 1][j] >= common[i][j + 1])) {
            difference.removed.push_back({.number = i + 1, .text = from[i]});
            ++i;
        } else {
            difference.added.push_back({.number = j + 1, .text = to[j]});
            ++j;
        }
    }
    return difference;
}

} // namespace batchpeak::config
