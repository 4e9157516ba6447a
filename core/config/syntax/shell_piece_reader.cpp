// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_piece_reader.h"

#include <algorithm>

namespace batchpeak::config {

namespace {

bool isNameCharacter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
}

/// Bytes of an operator that gives a default at the beginning of a text.
std::size_t defaultOperatorSize(std::string_view text)
{
    const std::size_t sign = text.starts_with(':') ? 1 : 0;
    return sign < text.size() && (text[sign] == '-' || text[sign] == '=') ? sign + 1 : 0;
}

} // namespace

bool isShellBlank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

std::size_t shellNameSize(std::string_view text)
{
    if (text.empty() || (text.front() >= '0' && text.front() <= '9'))
        return 0;
    const auto end = std::ranges::find_if_not(text, isNameCharacter);
    return static_cast<std::size_t>(end - text.begin());
}

std::size_t shellContinuationSize(std::string_view text)
{
    if (text.starts_with("\\\n"))
        return 2;
    return text.starts_with("\\\r\n") ? 3 : 0;
}

void ShellPieceReader::read()
{
    switch (m_text[m_at]) {
    case '\'':
        readSingleQuote();
        return;
    case '"':
        readDoubleQuote();
        return;
    case '\\':
        readEscape({});
        return;
    case '$':
        readDollar();
        return;
    case '`':
        readUnknown(std::min(m_text.find('`', m_at + 1), m_text.size() - 1) + 1);
        return;
    default:
        addLiteral(1);
    }
}

void ShellPieceReader::readSingleQuote()
{
    const std::size_t begin = ++m_at;
    const std::size_t end = std::min(m_text.find('\'', begin), m_text.size());
    m_quotes.emplace_back(begin, end);
    addLiteral(end - begin);
    m_at = std::min(end + 1, m_text.size());
}

void ShellPieceReader::readDoubleQuote()
{
    const std::size_t begin = ++m_at;
    m_isInQuotes = true;
    while (!atEnd() && next() != '"') {
        if (next() == '\\')
            readEscape("$`\"\\");
        else if (next() == '$' || next() == '`')
            read();
        else
            addLiteral(1);
    }
    m_isInQuotes = false;
    m_quotes.emplace_back(begin, std::min(m_at, m_text.size()));
    m_at = std::min(m_at + 1, m_text.size());
}

/// \param escaped  characters before which a backslash goes away; before all where it is empty
void ShellPieceReader::readEscape(std::string_view escaped)
{
    if (const std::size_t size = shellContinuationSize(m_text.substr(m_at))) {
        m_at += size;
        return;
    }
    const bool isLast = m_at + 1 >= m_text.size();
    if (isLast || (!escaped.empty() && escaped.find(m_text[m_at + 1]) == std::string_view::npos)) {
        addLiteral(1);
        return;
    }
    // A piece of its own: it is shorter than its bytes.
    m_pieces.push_back({.text = std::string(1, m_text[m_at + 1]), .begin = m_at, .end = m_at + 2});
    m_at += 2;
}

void ShellPieceReader::readDollar()
{
    const std::string_view rest = m_text.substr(m_at + 1);
    if (rest.starts_with('(')) {
        readSubstitution();
    } else if (rest.starts_with('{')) {
        readBraces();
    } else if (rest.starts_with('\'')) {
        readUnknown(ansiQuoteEnd());
    } else if (const std::size_t size = shellNameSize(rest)) {
        m_pieces.push_back({.kind = ShellPiece::Kind::Variable,
                            .text = std::string(rest.substr(0, size)),
                            .begin = m_at,
                            .end = m_at + 1 + size});
        m_at += 1 + size;
    } else if (!rest.empty() && std::string_view("0123456789@*#?-$!").find(rest.front()) != rest.npos) {
        readUnknown(m_at + 2);
    } else {
        addLiteral(1);
    }
}

void ShellPieceReader::readSubstitution()
{
    const std::size_t end = closing(m_at + 2, '(', ')', true);
    const std::string_view inner = m_text.substr(m_at, end - m_at);
    constexpr std::size_t brackets = std::string_view("$(())").size();
    if (inner.size() < brackets || !inner.starts_with("$((") || !inner.ends_with("))")) {
        readUnknown(end);
        return;
    }
    m_pieces.push_back({.kind = ShellPiece::Kind::Arithmetic,
                        .text = std::string(inner.substr(3, inner.size() - brackets)),
                        .begin = m_at,
                        .end = end});
    m_at = end;
}

void ShellPieceReader::readBraces()
{
    // Between double quotes, an apostrophe in a default is one.
    const std::size_t end = closing(m_at + 2, '{', '}', !m_isInQuotes);
    const std::string_view inner = m_text.substr(m_at + 2, end - m_at - 2);
    const std::size_t name = shellNameSize(inner);
    const std::size_t sign = defaultOperatorSize(inner.substr(name));
    const bool isPlain = name > 0 && inner.substr(name) == "}";
    if (!isPlain && (name == 0 || sign == 0 || !inner.ends_with('}'))) {
        readUnknown(end);
        return;
    }
    ShellPiece piece{.kind = ShellPiece::Kind::Variable,
                     .text = std::string(inner.substr(0, name)),
                     .begin = m_at,
                     .end = end};
    if (!isPlain) {
        piece.hasFallback = true;
        piece.setsFallback = inner[name + sign - 1] == '=';
        piece.fallbackBegin = m_at + 2 + name + sign;
        piece.fallbackEnd = end - 1;
    }
    m_pieces.push_back(std::move(piece));
    m_at = end;
}

void ShellPieceReader::readUnknown(std::size_t end)
{
    const std::size_t last = std::min(end, m_text.size());
    m_pieces.push_back({.kind = ShellPiece::Kind::Unknown,
                        .text = std::string(m_text.substr(m_at, last - m_at)),
                        .begin = m_at,
                        .end = last});
    m_at = last;
}

void ShellPieceReader::addLiteral(std::size_t size)
{
    const std::string_view text = m_text.substr(m_at, size);
    const bool goesOn = !m_pieces.empty() && m_pieces.back().kind == ShellPiece::Kind::Literal &&
                        m_pieces.back().end == m_at &&
                        m_pieces.back().text.size() == m_pieces.back().end - m_pieces.back().begin;
    if (goesOn) {
        m_pieces.back().text += text;
        m_pieces.back().end += text.size();
    } else if (!text.empty()) {
        m_pieces.push_back({.text = std::string(text), .begin = m_at, .end = m_at + text.size()});
    }
    m_at += text.size();
}

/// The byte after $'...', in which a backslash escapes.
std::size_t ShellPieceReader::ansiQuoteEnd() const
{
    std::size_t i = m_at + 2;
    while (i < m_text.size() && m_text[i] != '\'')
        i += m_text[i] == '\\' ? 2 : 1;
    return i + 1;
}

/// The byte after the bracket that closes, quoted ones passed over; the end of the text where none does.
std::size_t ShellPieceReader::closing(std::size_t from, char open, char close, bool hasSingleQuotes) const
{
    int depth = 1;
    bool isQuoted = false;
    for (std::size_t i = from; i < m_text.size(); ++i) {
        const char character = m_text[i];
        if (character == '\\') {
            ++i;
        } else if (character == close && !isQuoted) {
            if (--depth == 0)
                return i + 1;
        } else if (character == '"') {
            isQuoted = !isQuoted;
        } else if (character == '\'' && hasSingleQuotes && !isQuoted) {
            i = std::min(m_text.find('\'', i + 1), m_text.size());
        } else if (character == open && !isQuoted) {
            ++depth;
        }
    }
    return m_text.size();
}

} // namespace batchpeak::config
