// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// Lines of one text that replace lines of another; either may be empty.
struct LineChange
{
    /// Line numbers, counted from 0.
    std::size_t beforeStart = 0;
    std::size_t beforeCount = 0;
    std::size_t afterStart = 0;
    std::size_t afterCount = 0;

    bool operator==(const LineChange&) const = default;
};

/// Splits a text into lines, each with its line ending. Only "\n" ends a line, so that a "\r" before it is
/// part of the comparison.
std::vector<std::string_view> linesOf(std::string_view text);

/// Returns the changes that turn \p before into \p after, from top to bottom. They have the minimum number of
/// lines, by E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (Algorithmica 1, 1986).
///
/// Texts that differ in more than a thousand lines give a single change, from the first different line to the
/// last: the algorithm's time and memory grow quadratically.
std::vector<LineChange> lineChanges(std::span<const std::string_view> before,
                                    std::span<const std::string_view> after);

/// Returns the changes of a file in the format of diff -u (POSIX.1-2024, diff), as patch and git apply accept
/// it; empty if nothing changes. A "\r" at the end of a line is kept.
///
/// \param before, after  UTF-8
/// \param beforeName, afterName  names after "---" and "+++"; quoted as git does if a name has characters
///                               that would end it
/// \param context  unchanged lines around each change
QString unifiedDiff(std::string_view before, std::string_view after, const QString& beforeName,
                    const QString& afterName, int context = 3);

} // namespace batchpeak::engine
