// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// Part of a word of a shell script. Every piece knows its bytes, so that it can be changed in place.
struct ShellPiece
{
    enum class Kind {
        /// Literal text, without quotes and escapes.
        Literal,
        /// $NAME, ${NAME}, and ${NAME:-default} with :-, -, := or =; ${1:-default} too, whose name is 1.
        Variable,
        /// $(( expression )), and the numbers and signs of $(expr ...).
        Arithmetic,
        /// Value that only a run of the script can determine: command substitution, $1, ${NAME[@]} and the
        /// like.
        Unknown
    };
    Kind kind = Kind::Literal;
    /// A literal's text, a variable's name, or an expression; the text as written if Unknown.
    std::string text;
    /// Bytes [begin, end) in the script, with the dollar sign and the braces, without quotes.
    std::size_t begin = 0;
    std::size_t end = 0;
    /// Whether a variable has a default, in the bytes [fallbackBegin, fallbackEnd).
    bool hasFallback = false;
    /// Whether the default becomes the variable's value, as in ${NAME:=4}.
    bool setsFallback = false;
    std::size_t fallbackBegin = 0;
    std::size_t fallbackEnd = 0;
};

/// One word of a command or of an array.
struct ShellWord
{
    /// Bytes [begin, end) in the script, with quotes.
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<ShellPiece> pieces;
    /// Number of the simple command, array, or quoted list of arguments that contains the word.
    std::size_t command = 0;
    /// Whether its command prints or tests its words, so that they are not arguments of a program.
    bool isProse = false;
};

/// NAME=word, NAME+=word, or NAME=( , whose words are in ShellWords::words.
struct ShellAssignment
{
    std::string name;
    ShellWord value;
    bool isArray = false;
    bool appends = false;
    std::size_t begin = 0;
    /// Numbers [firstCommand, endCommand) of the arrays and quoted lists in the value, as in
    /// ShellWord::command.
    std::size_t firstCommand = 0;
    std::size_t endCommand = 0;
};

/// The text after "<<EOF".
struct ShellHereDocument
{
    /// Bytes [begin, end) of its lines.
    std::size_t begin = 0;
    std::size_t end = 0;
    /// Whether variables in it are expanded, because no part of its delimiter is quoted.
    bool isExpanded = true;
    /// Whether tabs at the beginnings of its lines do not count (<<-).
    bool stripsTabs = false;
};

struct ShellWords
{
    /// Words in the order of the text. A quoted word with several arguments is followed by these, one by one.
    std::vector<ShellWord> words;
    std::vector<ShellAssignment> assignments;
    std::vector<ShellHereDocument> hereDocuments;
    /// Bytes [begin, end) of each comment.
    std::vector<std::pair<std::size_t, std::size_t>> comments;
    /// Number of commands, arrays and quoted lists.
    std::size_t commands = 0;
};

/// Splits a shell script into words. It handles comments, quotes, escapes, continued lines, assignments and
/// here-documents as in POSIX (IEEE 1003.1-2017, Shell Command Language, 2.2 to 2.7), and the arrays of bash.
/// A text that only consists of arguments is a script too.
///
/// It is not a shell: nothing is run or expanded, and control flow is ignored. Quoted text with options,
/// which only a run would split into words, is split too, as in options="--bf16 --lr 1e-4". It accepts any
/// bytes: quotes and brackets that are not closed end with the text. The time is linear in the number of
/// bytes.
ShellWords shellWords(std::string_view text);

/// Returns the number of bytes of a name at the beginning of a text: letters, digits and underscores, no
/// digit first.
std::size_t shellNameSize(std::string_view text);

/// Returns the pieces of a here-document, in which quotes have no meaning.
std::vector<ShellPiece> hereDocumentPieces(std::string_view text, const ShellHereDocument& document);

/// Returns the pieces in the bytes [begin, end) of a text as one word, including blanks.
std::vector<ShellPiece> shellPieces(std::string_view text, std::size_t begin, std::size_t end);

} // namespace batchpeak::config
