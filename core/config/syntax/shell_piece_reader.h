// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell_words.h"

#include <utility>

namespace batchpeak::config {

/// A blank between words; carriage returns are, as in a file from Windows.
bool isShellBlank(char character);

/// Bytes of a name at the beginning of a text: letters, digits and underscores, no digit first.
std::size_t shellNameSize(std::string_view text);

/// Bytes of a backslash with the line end behind it at the beginning of a text; 0 where it does not begin so.
std::size_t shellContinuationSize(std::string_view text);

/// Reads the pieces of one word, quote by quote and expansion by expansion. Where the word ends is for its
/// user to say.
class ShellPieceReader
{
public:
    /// \param text  up to where the word may reach
    ShellPieceReader(std::string_view text, std::size_t begin) : m_text(text), m_at(begin) {}

    bool atEnd() const { return m_at >= m_text.size(); }
    char next() const { return m_text[m_at]; }
    std::size_t position() const { return m_at; }
    /// One unquoted character, or a whole quote, escape or expansion that begins here.
    void read();

    std::vector<ShellPiece> takePieces() { return std::move(m_pieces); }
    /// What stands between quotes, as [begin, end).
    std::vector<std::pair<std::size_t, std::size_t>> takeQuotes() { return std::move(m_quotes); }

private:
    void readSingleQuote();
    void readDoubleQuote();
    void readEscape(std::string_view escaped);
    void readDollar();
    void readSubstitution();
    void readBraces();
    void readUnknown(std::size_t end);
    void addLiteral(std::size_t size);
    std::size_t ansiQuoteEnd() const;
    std::size_t closing(std::size_t from, char open, char close, bool hasSingleQuotes) const;

    std::string_view m_text;
    std::size_t m_at;
    bool m_isInQuotes = false;
    std::vector<ShellPiece> m_pieces;
    std::vector<std::pair<std::size_t, std::size_t>> m_quotes;
};

} // namespace batchpeak::config
