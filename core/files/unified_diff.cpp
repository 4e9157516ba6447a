// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "unified_diff.h"

#include <algorithm>
#include <span>
#include <vector>

namespace batchpeak::engine {

namespace {

using Lines = std::span<const std::string_view>;

constexpr std::size_t maxEdits = 1000;

/// Lines that are the same in both texts.
struct KeptLine
{
    std::size_t before = 0;
    std::size_t after = 0;
};

/// For each number of edits, the line of the first text that is reached on each diagonal (lines taken from
/// the first text minus those from the second), from the lowest diagonal up in steps of two.
using Reached = std::vector<std::vector<std::size_t>>;

/// Whether the path to the diagonal at \p place takes its last line from the second text, not from the first.
bool endsWithInsertion(const std::vector<std::size_t>& previous, std::size_t place)
{
    return place == 0 || (place < previous.size() && previous[place - 1] < previous[place]);
}

/// Returns the line that \p edits edits reach on a diagonal, before the equal lines that follow.
std::size_t startOn(const Reached& reached, std::size_t edits, std::size_t place)
{
    if (edits == 0)
        return 0;
    const auto& previous = reached[edits - 1];
    return endsWithInsertion(previous, place) ? previous[place] : previous[place - 1] + 1;
}

/// Returns the line of the second text at \p line of the first on a diagonal; its number is 2 * place -
/// edits.
std::size_t otherLine(std::size_t line, std::size_t edits, std::size_t place)
{
    return line + edits - 2 * place;
}

/// Adds a row for each further edit, until the end of both texts is reached.
/// \return false if that takes too many edits
bool reachTheEnd(Lines before, Lines after, Reached& reached)
{
    for (std::size_t edits = 0; edits <= maxEdits; ++edits) {
        reached.emplace_back();
        for (std::size_t place = 0; place <= edits; ++place) {
            std::size_t line = startOn(reached, edits, place);
            std::size_t other = otherLine(line, edits, place);
            while (line < before.size() && other < after.size() && before[line] == after[other]) {
                ++line;
                ++other;
            }
            reached.back().push_back(line);
            if (line == before.size() && other == after.size())
                return true;
        }
    }
    return false;
}

/// Follows the path to the end backward, and returns every line on it that both texts have, from top to
/// bottom.
std::vector<KeptLine> keptLines(Lines before, Lines after)
{
    Reached reached;
    if (!reachTheEnd(before, after, reached))
        return {};
    std::vector<KeptLine> kept;
    std::size_t place = reached.back().size() - 1;
    for (std::size_t edits = reached.size(); edits-- > 0;) {
        const std::size_t start = startOn(reached, edits, place);
        for (std::size_t line = reached[edits][place]; line-- > start;)
            kept.push_back({.before = line, .after = otherLine(line, edits, place)});
        if (edits > 0 && !endsWithInsertion(reached[edits - 1], place))
            --place;
    }
    std::ranges::reverse(kept);
    return kept;
}

/// Returns the number of equal lines from there on.
template<typename Line>
std::size_t sameFrom(Line before, Line beforeEnd, Line after, Line afterEnd)
{
    return static_cast<std::size_t>(std::mismatch(before, beforeEnd, after, afterEnd).first - before);
}

/// Returns a name as git writes it: followed by a tab if it has spaces, since patch would otherwise take the
/// first word alone; in quotes if it has characters that a header line cannot contain.
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
        diff += QLatin1Char(mark) + QString::fromUtf8(line);
        if (!line.ends_with('\n'))
            diff += QStringLiteral("\n\\ No newline at end of file\n");
    }
}

/// Returns a range; one of zero lines names the line before, as POSIX specifies.
QString rangeText(std::size_t start, std::size_t count)
{
    return QStringLiteral("%1,%2").arg(start + (count > 0 ? 1 : 0)).arg(count);
}

/// Returns nearby changes with the lines between and around them.
QString hunkText(Lines before, Lines after, std::span<const LineChange> changes, std::size_t context)
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

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        lines.push_back(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::vector<LineChange> lineChanges(Lines before, Lines after)
{
    const std::size_t head = sameFrom(before.begin(), before.end(), after.begin(), after.end());
    before = before.subspan(head);
    after = after.subspan(head);
    const std::size_t tail = sameFrom(before.rbegin(), before.rend(), after.rbegin(), after.rend());
    before = before.first(before.size() - tail);
    after = after.first(after.size() - tail);

    std::vector<KeptLine> kept = keptLines(before, after);
    kept.push_back({.before = before.size(), .after = after.size()});
    std::vector<LineChange> changes;
    KeptLine next;
    for (const KeptLine& line : kept) {
        if (line.before > next.before || line.after > next.after) {
            changes.push_back({.beforeStart = head + next.before,
                               .beforeCount = line.before - next.before,
                               .afterStart = head + next.after,
                               .afterCount = line.after - next.after});
        }
        next = {.before = line.before + 1, .after = line.after + 1};
    }
    return changes;
}

QString unifiedDiff(std::string_view before, std::string_view after, const QString& beforeName,
                    const QString& afterName, int context)
{
    const std::vector<std::string_view> old = linesOf(before);
    const std::vector<std::string_view> changed = linesOf(after);
    const std::vector<LineChange> changes = lineChanges(old, changed);
    if (changes.empty())
        return {};

    const auto around = static_cast<std::size_t>(std::max(context, 0));
    QString diff = QStringLiteral("--- %1\n+++ %2\n").arg(headerName(beforeName), headerName(afterName));
    for (auto first = changes.begin(); first != changes.end();) {
        // Two changes share a hunk if the lines around them would touch.
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
