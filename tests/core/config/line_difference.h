// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace batchpeak::config {

/// Lines that have to go from one text, and come into it, for it to be the other: the fewest, their ends
/// included, in the order of the texts.
struct LineDifference
{
    std::vector<std::string> removed;
    std::vector<std::string> added;
};
LineDifference lineDifference(const std::string& before, const std::string& after);

} // namespace batchpeak::config
