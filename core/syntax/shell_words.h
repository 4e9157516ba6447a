// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// What a word of a shell script is made of. Every piece knows its bytes, so that it can be changed in place.
struct ShellPiece
{
    enum class Kind {
        /// Itself, without quotes and escapes.
        Literal,
        /// $NAME, ${NAME}, and ${NAME:-default} with :-, -, := or =.
        Variable,
        /// $(( expression ))
        Arithmetic,
        /// What only a run of the script can tell: command substitution, $1, ${NAME[@]} and the like.
        Unknown
    };
    Kind kind = Kind::Literal;
    /// A literal's text, a variable's name, an expression; as it is written where it is unknown.
    std::string text;
    /// [begin, end) in the script, with the dollar and the braces, without quotes.
    std::size_t begin = 0;
    std::size_t end = 0;
    /// The default of a variable, [fallbackBegin, fallbackEnd); there is one where hasFallback.
    bool hasFallback = false;
    /// The default becomes the variable's value, as in ${NAME:=4}.
    bool setsFallback = false;
    std::size_t fallbackBegin = 0;
    std::size_t fallbackEnd = 0;
};

/// One word of a command or of an array.
struct ShellWord
{
    /// [begin, end) in the script, with quotes.
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<ShellPiece> pieces;
    /// Words of one simple command, one array, or one quoted list of arguments have the same number.
    std::size_t command = 0;
    /// Its command prints or tests its words, so that they are no arguments of a program.
    bool isProse = false;
};

/// NAME=word, NAME+=word, or NAME=( whose words are among the others.
struct ShellAssignment
{
    std::string name;
    ShellWord value;
    bool isArray = false;
    bool appends = false;
    std::size_t begin = 0;
};

struct ShellWords
{
    /// In the order of the text. Behind a quoted word with several arguments stand these, one by one.
    std::vector<ShellWord> words;
    std::vector<ShellAssignment> assignments;
    /// As [begin, end).
    std::vector<std::pair<std::size_t, std::size_t>> comments;
    /// How many commands, arrays and quoted lists there are.
    std::size_t commands = 0;
};

/// Cuts a shell script into words: comments, quotes, escapes, continued lines, assignments and here-documents
/// as POSIX has them (IEEE 1003.1-2017, Shell Command Language, 2.2 to 2.7), and the arrays of bash. A text
/// of arguments alone is a script too.
///
/// It is no shell: nothing is run or expanded, and control flow plays no part. Text that only a run would
/// make words of counts where it is quoted and holds options, as in options="--bf16 --lr 1e-4". It takes any
/// bytes: what is left open ends with the text. The time is linear in the bytes.
ShellWords shellWords(std::string_view text);

/// Bytes of a name at the beginning of a text: letters, digits and underscores, no digit first.
std::size_t shellNameSize(std::string_view text);

/// The pieces of [begin, end) of a text as one word, blanks included.
std::vector<ShellPiece> shellPieces(std::string_view text, std::size_t begin, std::size_t end);

} // namespace batchpeak::config
