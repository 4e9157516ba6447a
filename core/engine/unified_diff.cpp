// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unified_diff.h"

#include "line_changes.h"

#include <algorithm>
#include <span>
#include <vector>

namespace batchpeak::engine {

namespace {

using Lines = std::vector<std::string_view>;

/// A name as git writes it: with a tab after it where it has spaces, else patch would take the first word
/// alone; in quotes where it has characters that no header line can hold.
QString headerName(const QString& name)
{
    const auto isSpecial = [](QChar character) {
        return character < QLatin1Char(' ') || character == QLatin1Char('"') ||
               character == QLatin1Char('\\');
    };
    if (std::ranges::none_of(name, isSpecial))
        return name.contains(QLatin1Char(' ')) ? name + QLatin1Char('\t') : name;
    QString quoted;
    for (const QChar character : name) {
        if (character < QLatin1Char(' '))
            quoted += QStringLiteral("\\%1").arg(character.unicode(), 3, 8, QLatin1Char('0'));
        else if (isSpecial(character))
            quoted += QLatin1Char('\\') + QString(character);
        else
            quoted += character;
    }
    return QLatin1Char('"') + quoted + QLatin1Char('"');
}

void appendLines(QString& diff, char mark, std::span<const std::string_view> lines)
{
    for (const std::string_view line : lines) {
        diff += QLatin1Char(mark) + QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
        if (!line.ends_with('\n'))
            diff += QStringLiteral("\n\\ No newline at end of file\n");
    }
}

/// Of no lines, the one before them is named, as POSIX has it.
QString rangeText(std::size_t start, std::size_t count)
{
    return QStringLiteral("%1,%2").arg(start + (count > 0 ? 1 : 0)).arg(count);
}

/// Changes that are near each other, with what stands between and around them.
QString hunkText(const Lines& before, const Lines& after, std::span<const LineChange> changes,
                 std::size_t context)
{
    const LineChange& first = changes.front();
    const std::size_t lastEnd = changes.back().beforeStart + changes.back().beforeCount;
    const std::size_t head = std::min(context, first.beforeStart);
    const std::size_t tail = std::min(context, before.size() - lastEnd);
    const std::size_t beforeStart = first.beforeStart - head;
    const std::size_t beforeEnd = lastEnd + tail;
    const std::size_t afterStart = first.afterStart - head;
    const std::size_t afterEnd = changes.back().afterStart + changes.back().afterCount + tail;

    const std::span<const std::string_view> old(before);
    QString hunk = QStringLiteral("@@ -%1 +%2 @@\n")
                       .arg(rangeText(beforeStart, beforeEnd - beforeStart),
                            rangeText(afterStart, afterEnd - afterStart));
    std::size_t next = beforeStart;
    for (const LineChange& change : changes) {
        appendLines(hunk, ' ', old.subspan(next, change.beforeStart - next));
        appendLines(hunk, '-', old.subspan(change.beforeStart, change.beforeCount));
        appendLines(hunk, '+', std::span(after).subspan(change.afterStart, change.afterCount));
        next = change.beforeStart + change.beforeCount;
    }
    appendLines(hunk, ' ', old.subspan(next, beforeEnd - next));
    return hunk;
}

} // namespace

QString unifiedDiff(std::string_view before, std::string_view after, const QString& beforeName,
                    const QString& afterName, int context)
{
    const Lines old = linesOf(before);
    const Lines changed = linesOf(after);
    const std::vector<LineChange> changes = lineChanges(old, changed);
    if (changes.empty())
        return {};

    const auto around = static_cast<std::size_t>(std::max(context, 0));
    QString diff = QStringLiteral("--- %1\n+++ %2\n").arg(headerName(beforeName), headerName(afterName));
    for (auto first = changes.begin(); first != changes.end();) {
        // Two changes share a hunk where the lines around them would meet.
        const auto isApart = [&](const LineChange& above, const LineChange& below) {
            return below.beforeStart - above.beforeStart - above.beforeCount > 2 * around;
        };
        auto end = std::adjacent_find(first, changes.end(), isApart);
        if (end != changes.end())
            ++end;
        diff += hunkText(old, changed, {first, end}, around);
        first = end;
    }
    return diff;
}

} // namespace batchpeak::engine
