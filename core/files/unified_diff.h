// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace batchpeak::engine {

/// Lines of one text that take the place of lines of another; either may be none.
struct LineChange
{
    /// Counted from 0.
    std::size_t beforeStart = 0;
    std::size_t beforeCount = 0;
    std::size_t afterStart = 0;
    std::size_t afterCount = 0;

    bool operator==(const LineChange&) const = default;
};

/// A text in lines, each with the end that it has there. Only "\n" ends a line, so that a "\r" before it is a
/// part of what is compared.
std::vector<std::string_view> linesOf(std::string_view text);

/// What is to be changed in \p before for \p after, from top to bottom: the fewest lines, by E. W. Myers, "An
/// O(ND) Difference Algorithm and Its Variations" (Algorithmica 1, 1986).
///
/// Texts with more than a thousand lines of difference are said to differ in one piece, from the first to the
/// last of them: its time and memory grow with the square.
std::vector<LineChange> lineChanges(std::span<const std::string_view> before,
                                    std::span<const std::string_view> after);

/// What would change in a file, as diff -u words it (POSIX.1-2024, diff) and as patch and git apply take it;
/// empty where nothing does. A "\r" at a line's end stays there.
///
/// \param before, after  UTF-8
/// \param beforeName, afterName  as they are to stand after "---" and "+++"; quoted as git does where a name
/// has
///                               characters that would end it
/// \param context  unchanged lines around each change
QString unifiedDiff(std::string_view before, std::string_view after, const QString& beforeName,
                    const QString& afterName, int context = 3);

} // namespace batchpeak::engine
