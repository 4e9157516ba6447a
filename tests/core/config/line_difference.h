// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace batchpeak::config {

/// A line with its end, and its number from 1.
struct NumberedLine
{
    std::size_t number = 0;
    std::string text;
};

/// Lines that have to go from one text, by their numbers there, and come into it, by their numbers in the
/// other, for it to be the other: the fewest.
struct LineDifference
{
    std::vector<NumberedLine> removed;
    std::vector<NumberedLine> added;
};
LineDifference lineDifference(const std::string& before, const std::string& after);

} // namespace batchpeak::config
