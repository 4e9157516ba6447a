// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/unified_diff.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <random>
#include <string>

using batchpeak::engine::LineChange;
using batchpeak::engine::lineChanges;
using batchpeak::engine::linesOf;

using Lines = std::vector<std::string_view>;
using Changes = std::vector<LineChange>;

namespace {

/// Returns a line for each letter.
std::string text(std::string_view letters)
{
    std::string lines;
    for (const char letter : letters)
        lines += std::string(1, letter) + "\n";
    return lines;
}

/// Returns the second text, made by applying the changes to the first.
std::string applied(const Lines& before, const Lines& after, const Changes& changes)
{
    std::string result;
    std::size_t next = 0;
    const auto keepTo = [&](std::size_t end) {
        for (; next < end; ++next)
            result += before[next];
    };
    for (const LineChange& change : changes) {
        keepTo(change.beforeStart);
        next += change.beforeCount;
        for (std::size_t line = 0; line < change.afterCount; ++line)
            result += after[change.afterStart + line];
    }
    keepTo(before.size());
    return result;
}

std::size_t changedLines(const Changes& changes)
{
    std::size_t lines = 0;
    for (const LineChange& change : changes)
        lines += change.beforeCount + change.afterCount;
    return lines;
}

std::size_t longestCommonSubsequence(const Lines& before, const Lines& after)
{
    std::vector<std::size_t> row(after.size() + 1);
    for (const std::string_view line : before) {
        std::size_t diagonal = 0;
        for (std::size_t column = 1; column < row.size(); ++column) {
            const std::size_t above = row[column];
            row[column] = line == after[column - 1] ? diagonal + 1 : std::max(above, row[column - 1]);
            diagonal = above;
        }
    }
    return row.back();
}

} // namespace

class LineChangesTest : public QObject
{
    Q_OBJECT

private slots:
    void splitsATextIntoLines_data()
    {
        rows<QByteArray, Lines>({{"empty", {{}, {}}},
                                 {"whole lines", {"a\n\nb\n", {"a\n", "\n", "b\n"}}},
                                 {"no final newline", {"a\nb", {"a\n", "b"}}},
                                 {"carriage returns", {"a\r\nb\rc\r\n", {"a\r\n", "b\rc\r\n"}}}});
    }
    void splitsATextIntoLines()
    {
        const auto& [text, lines] = row<QByteArray, Lines>();
        QCOMPARE(linesOf({text.constData(), std::size_t(text.size())}), lines);
    }

    void findsChanges_data()
    {
        rows<QByteArray, QByteArray, Changes>(
            {{"none", {"abc", "abc", {}}},
             {"none of nothing", {{}, {}, {}}},
             {"replaced", {"abc", "axc", {{1, 1, 1, 1}}}},
             {"inserted", {"abc", "abxc", {{2, 0, 2, 1}}}},
             {"removed", {"abc", "ac", {{1, 1, 1, 0}}}},
             {"from nothing", {{}, "ab", {{0, 0, 0, 2}}}},
             {"to nothing", {"ab", {}, {{0, 2, 0, 0}}}},
             {"two places", {"abcdef", "axcdyf", {{1, 1, 1, 1}, {4, 1, 4, 1}}}},
             {"one more of the same", {"aab", "aaab", {{2, 0, 2, 1}}}}});
    }
    void findsChanges()
    {
        const auto& [before, after, changes] = row<QByteArray, QByteArray, Changes>();
        const std::string old = text(before.toStdString());
        const std::string changed = text(after.toStdString());
        QVERIFY(lineChanges(linesOf(old), linesOf(changed)) == changes);
    }

    // Compares with the length of the longest common subsequence, calculated from its table.
    void findsTheFewestChanges()
    {
        std::mt19937 random(1);
        for (int round = 0; round < 2000; ++round) {
            const auto letters = [&random] {
                std::string word;
                for (std::size_t left = random() % 20; left > 0; --left)
                    word += char('a' + random() % 3);
                return text(word);
            };
            const std::string first = letters();
            const std::string second = letters();
            const Lines before = linesOf(first);
            const Lines after = linesOf(second);
            const Changes changes = lineChanges(before, after);
            QCOMPARE(applied(before, after, changes), second);
            const std::size_t fewest =
                before.size() + after.size() - 2 * longestCommonSubsequence(before, after);
            QCOMPARE(changedLines(changes), fewest);
        }
    }

    void isFastIfAllLinesDiffer()
    {
        std::string old;
        std::string changed;
        for (int line = 0; line < 100'000; ++line) {
            old += "key" + std::to_string(line) + ": 1\n";
            changed += "key" + std::to_string(line) + ": 2\n";
        }
        const Lines before = linesOf(old);
        const Lines after = linesOf(changed);
        // Comparing each line with every other line would take minutes.
        const Changes changes = lineChanges(before, after);
        QCOMPARE(applied(before, after, changes), changed);
        QCOMPARE(changes.size(), std::size_t(1));
    }
};

BATCHPEAK_TEST(LineChangesTest)
#include "tst_line_changes.moc"
