// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace batchpeak::config {

/// Line with its line end, and its number, counted from 1.
struct NumberedLine
{
    std::size_t number = 0;
    std::string text;
};

/// Fewest lines to remove from one text and to add from another to turn the first into the second. A removed
/// line has its number in the first text, an added line its number in the second.
struct LineDifference
{
    std::vector<NumberedLine> removed;
    std::vector<NumberedLine> added;
};
LineDifference lineDifference(const std::string& before, const std::string& after);

} // namespace batchpeak::config
