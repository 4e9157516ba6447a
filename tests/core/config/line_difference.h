// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace batchpeak::config {

/// A line with its line end, and its number, counted from 1.
struct NumberedLine
{
    std::size_t number = 0;
    std::string text;
};

/// The fewest lines that have to be removed from one text, by their numbers in it, and added from the other,
/// by their numbers in that, to turn the one into the other.
struct LineDifference
{
    std::vector<NumberedLine> removed;
    std::vector<NumberedLine> added;
};
LineDifference lineDifference(const std::string& before, const std::string& after);

} // namespace batchpeak::config
