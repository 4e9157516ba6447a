// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/document_origin.h"

#include <QTest>

using namespace batchpeak::config;

namespace {

/// A text, and a document that copies two parts of it around a value that a variable holds:
/// "size: 4\nname: x\n".
const std::string text = "SIZE=4\ncat <<EOF\nsize: $SIZE\nname: x\nEOF\n";

DocumentOrigin origin()
{
    return {
        .text = text,
        .segments = {{.begin = 0, .end = 6, .textBegin = 17, .textEnd = 23},
                     {.begin = 6, .end = 7, .textBegin = 23, .textEnd = 28, .isCopy = false, .valueBegin = 5},
                     {.begin = 7, .end = 16, .textBegin = 28, .textEnd = 37}}};
}

std::string placeOf(TextPosition position)
{
    return std::to_string(position.line) + ':' + std::to_string(position.column);
}

std::string changed(const DocumentOrigin& origin, const TextPiece& piece)
{
    try {
        return withPieces(origin.text, {origin.changeOf(piece).piece});
    } catch (const ConfigError& error) {
        return error.what();
    }
}

struct Change
{
    TextPiece piece;
    std::string after;
};

} // namespace

class DocumentOriginTest : public QObject
{
    Q_OBJECT

private slots:
    void findsPositions_data()
    {
        rows<std::size_t, std::string>({
            {"the first byte of a copy", {0, "3:1"}},
            {"inside of a copy", {4, "3:5"}},
            {"a value stands in its assignment", {6, "1:6"}},
            {"a copy behind a value", {8, "4:1"}},
            {"behind the last segment", {16, "5:1"}},
        });
    }
    void findsPositions()
    {
        const auto& [byte, place] = row<std::size_t, std::string>();
        QCOMPARE(placeOf(origin().positionOf(byte)), place);
    }

    void findsPositionsOfGeneratedBytes()
    {
        DocumentOrigin generated = origin();
        for (OriginSegment& segment : generated.segments) {
            segment.begin += 2;
            segment.end += 2;
        }
        QCOMPARE(placeOf(generated.positionOf(0)), std::string("3:1"));
        QVERIFY_THROWS_EXCEPTION(ConfigError, generated.segmentAt(1));
    }

    void findsThePlaceThatNamesAnotherFile()
    {
        const DocumentOrigin other{.named = {.line = 7, .column = 3}};
        QCOMPARE(placeOf(other.positionOf(0)), std::string("7:3"));
        QCOMPARE(placeOf(other.positionOf(99)), std::string("7:3"));
    }

    void changesTheText_data()
    {
        const std::string none = "The value does not stand in the file; set the micro-batch size by hand.";
        rows<Change>({
            {"inside of a copy",
             {.piece = {14, 15, "long"}, .after = "SIZE=4\ncat <<EOF\nsize: $SIZE\nname: long\nEOF\n"}},
            {"in front of a copy",
             {.piece = {8, 8, "a: 1\n"}, .after = "SIZE=4\ncat <<EOF\nsize: $SIZE\na: 1\nname: x\nEOF\n"}},
            {"a value", {.piece = {6, 7, "8"}, .after = "SIZE=4\ncat <<EOF\nsize: 8\nname: x\nEOF\n"}},
            {"behind a value",
             {.piece = {6, 6, "!"}, .after = "SIZE=4\ncat <<EOF\nsize: $SIZE!\nname: x\nEOF\n"}},
            {"a copy and a value",
             {.piece = {0, 7, "a: 1"}, .after = "SIZE=4\ncat <<EOF\na: 1\nname: x\nEOF\n"}},
            {"a value and a copy",
             {.piece = {6, 8, "8 # eight\n"}, .after = "SIZE=4\ncat <<EOF\nsize: 8 # eight\nname: x\nEOF\n"}},
            {"far behind the last segment", {.piece = {40, 90, "8"}, .after = none}},
        });
    }
    void changesTheText()
    {
        const auto& [piece, after] = row<Change>();
        QCOMPARE(changed(origin(), piece), after);
    }

    void leavesValuesToTheirSyntax()
    {
        DocumentOrigin of = origin();
        of.replace = [](const OriginSegment& segment, const std::string& value) {
            return OriginChange{.piece = {segment.valueBegin, segment.valueBegin + 1, value},
                                .notes = {"SIZE is 8 now."}};
        };
        const OriginChange change = of.changeOf({6, 7, "8"});
        QCOMPARE(withPieces(text, {change.piece}),
                 std::string("SIZE=8\ncat <<EOF\nsize: $SIZE\nname: x\nEOF\n"));
        QCOMPARE(change.notes.size(), std::size_t{1});
        // A copy is changed in place.
        QCOMPARE(changed(of, {14, 15, "y"}), std::string("SIZE=4\ncat <<EOF\nsize: $SIZE\nname: y\nEOF\n"));
    }

    void replacesPiecesInAnyOrder()
    {
        QCOMPARE(withPieces("abcdef", {{4, 5, "5"}, {0, 1, ""}, {2, 2, "-"}}), std::string("b-cd5f"));
        QCOMPARE(withPieces("", {{0, 0, "a"}, {0, 0, "b"}}), std::string("ab"));
        QCOMPARE(withPieces("abc", {}), std::string("abc"));
    }
};

BATCHPEAK_TEST(DocumentOriginTest)
#include "tst_document_origin.moc"
