// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_words.h"

#include "words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::config {

namespace {

// Nesting levels: a script, a quoted list of arguments or a here-document in it, and a quoted list in that.
constexpr int deepest = 2;

constexpr std::string_view operators = ";&|()<>";

template<std::size_t Size>
bool isOneOf(std::string_view word, const std::array<std::string_view, Size>& words)
{
    return std::ranges::find(words, word) != words.end();
}

/// Whether an assignment can follow this word as at the beginning of a command.
bool letsAssign(std::string_view word)
{
    constexpr std::array<std::string_view, 16> words{
        "export", "declare", "typeset", "local", "readonly", "env",  "then", "do",
        "else",   "if",      "elif",    "while", "until",    "time", "{",    "!"};
    return isOneOf(word, words);
}

bool printsOrTests(std::string_view word)
{
    constexpr std::array<std::string_view, 5> words{"echo", "printf", "test", "[", "[["};
    return isOneOf(word, words);
}

/// Returns the number of bytes of "NAME=" or "NAME+=" here; 0 if there is no assignment.
std::size_t assignmentSize(std::string_view text)
{
    const std::size_t name = shellNameSize(text);
    const std::size_t sign = name + (name < text.size() && text[name] == '+' ? 1 : 0);
    return name > 0 && sign < text.size() && text[sign] == '=' ? sign + 1 : 0;
}

/// Whether a character is a blank between words, including carriage returns, as in a file from Windows.
bool isBlank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

bool isNameCharacter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
}

/// Whether a word is a setting of Hydra whose name has a dot: "optim.lr=1e-5".
bool isSetting(std::string_view word)
{
    const std::string_view name = word.substr(0, word.find('='));
    return name.size() < word.size() && name.find('.') != std::string_view::npos &&
           std::ranges::all_of(name,
                               [](char character) { return isNameCharacter(character) || character == '.'; });
}

/// Whether a text has several words, including an option or a setting of Hydra.
bool holdsArguments(std::string_view quoted)
{
    if (quoted.find_first_of(" \t\n", std::min(quoted.find_first_not_of(" \t\r\n"), quoted.size())) ==
        std::string_view::npos)
        return false;
    for (std::size_t i = quoted.find("--"); i != std::string_view::npos; i = quoted.find("--", i + 1)) {
        const bool begins = i == 0 || isBlank(quoted[i - 1]) || quoted[i - 1] == '\n';
        if (begins && shellNameSize(quoted.substr(i + 2)) > 0)
            return true;
    }
    std::string words(quoted);
    std::ranges::replace_if(
        words, [](char character) { return isBlank(character) || character == '\n'; }, ' ');
    return std::ranges::any_of(splitWords(words), isSetting);
}

/// Returns the number of bytes of the operator for a default at the beginning of a text; 0 if there is none.
std::size_t defaultOperatorSize(std::string_view text)
{
    const std::size_t sign = text.starts_with(':') ? 1 : 0;
    return sign < text.size() && (text[sign] == '-' || text[sign] == '=') ? sign + 1 : 0;
}

/// Returns the number of bytes of a backslash with a line end after it at the beginning of a text; 0 if there
/// is none.
std::size_t shellContinuationSize(std::string_view text)
{
    if (text.starts_with("\\\n"))
        return 2;
    return text.starts_with("\\\r\n") ? 3 : 0;
}

/// Reads the pieces of one word, quote by quote and expansion by expansion. The caller decides where the word
/// ends.
class PieceReader
{
public:
    /// \param text  text up to the last possible end of the word
    PieceReader(std::string_view text, std::size_t begin) : m_text(text), m_at(begin) {}

    bool atEnd() const { return m_at >= m_text.size(); }
    char next() const { return m_text[m_at]; }
    std::size_t position() const { return m_at; }
    std::vector<ShellPiece> takePieces() { return std::move(m_pieces); }
    /// Returns the bytes [begin, end) between each pair of quotes.
    std::vector<std::pair<std::size_t, std::size_t>> takeQuotes() { return std::move(m_quotes); }

    /// Reads one unquoted character, or a whole quote, escape or expansion that begins here.
    void read()
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

    /// Reads the next character or expansion of a here-document.
    void readInHereDocument()
    {
        m_isInQuotes = true;
        if (next() == '\\')
            readEscape("$`\\");
        else if (next() == '$' || next() == '`')
            read();
        else
            addLiteral(1);
    }

private:
    void readSingleQuote()
    {
        const std::size_t begin = ++m_at;
        const std::size_t end = std::min(m_text.find('\'', begin), m_text.size());
        m_quotes.emplace_back(begin, end);
        addLiteral(end - begin);
        m_at = std::min(end + 1, m_text.size());
    }

    void readDoubleQuote()
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

    /// \param escaped  characters before which a backslash is removed; empty for all characters
    void readEscape(std::string_view escaped)
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
        // It is a piece of its own, since its text is shorter than its bytes.
        m_pieces.push_back({.text = std::string(1, m_text[m_at + 1]), .begin = m_at, .end = m_at + 2});
        m_at += 2;
    }

    void readDollar()
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

    void readSubstitution()
    {
        const std::size_t end = closing(m_at + 2, '(', ')', true);
        const std::string_view inner = m_text.substr(m_at, end - m_at);
        constexpr std::size_t brackets = std::string_view("$(())").size();
        constexpr std::string_view expression = "$(expr ";
        if (inner.starts_with(expression) && inner.ends_with(')')) {
            std::string text(inner.substr(expression.size(), inner.size() - expression.size() - 1));
            std::erase_if(text, [](char c) { return c == '\\' || c == '"' || c == '\''; });
            m_pieces.push_back(
                {.kind = ShellPiece::Kind::Arithmetic, .text = std::move(text), .begin = m_at, .end = end});
            m_at = end;
            return;
        }
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

    void readBraces()
    {
        // Between double quotes, an apostrophe in a default is a literal character.
        const std::size_t end = closing(m_at + 2, '{', '}', !m_isInQuotes);
        const std::string_view inner = m_text.substr(m_at + 2, end - m_at - 2);
        std::size_t name = shellNameSize(inner);
        if (name == 0)
            name = std::min(inner.find_first_not_of("0123456789"), inner.size());
        const std::size_t sign = defaultOperatorSize(inner.substr(name));
        const bool isPlain = shellNameSize(inner) > 0 && inner.substr(name) == "}";
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

    void readUnknown(std::size_t end)
    {
        const std::size_t last = std::min(end, m_text.size());
        m_pieces.push_back({.kind = ShellPiece::Kind::Unknown,
                            .text = std::string(m_text.substr(m_at, last - m_at)),
                            .begin = m_at,
                            .end = last});
        m_at = last;
    }

    void addLiteral(std::size_t size)
    {
        const std::string_view text = m_text.substr(m_at, size);
        const bool continues = !m_pieces.empty() && m_pieces.back().kind == ShellPiece::Kind::Literal &&
                               m_pieces.back().end == m_at &&
                               m_pieces.back().text.size() == m_pieces.back().end - m_pieces.back().begin;
        if (continues) {
            m_pieces.back().text += text;
            m_pieces.back().end += text.size();
        } else if (!text.empty()) {
            m_pieces.push_back({.text = std::string(text), .begin = m_at, .end = m_at + text.size()});
        }
        m_at += text.size();
    }

    /// Returns the byte after $'...', in which a backslash escapes.
    std::size_t ansiQuoteEnd() const
    {
        std::size_t i = m_at + 2;
        while (i < m_text.size() && m_text[i] != '\'')
            i += m_text[i] == '\\' ? 2 : 1;
        return i + 1;
    }

    /// Returns the byte after the closing bracket, ignoring quoted ones; the end of the text if there is
    /// none.
    std::size_t closing(std::size_t from, char open, char close, bool hasSingleQuotes) const
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

    std::string_view m_text;
    std::size_t m_at;
    bool m_isInQuotes = false;
    std::vector<ShellPiece> m_pieces;
    std::vector<std::pair<std::size_t, std::size_t>> m_quotes;
};

class Lexer
{
public:
    /// \param isQuoted  whether the text is a quoted list of arguments: line ends are blanks, and # is not a
    /// comment
    Lexer(std::string_view text, std::size_t begin, std::size_t end, bool isQuoted, int depth,
          ShellWords& result)
        : m_text(text.substr(0, end)), m_at(begin), m_isQuoted(isQuoted), m_depth(depth), m_result(result)
    {
        beginCommand();
    }

    void run()
    {
        while (m_at < m_text.size()) {
            const char character = m_text[m_at];
            if (isBlank(character))
                ++m_at;
            else if (const std::size_t size = shellContinuationSize(m_text.substr(m_at)))
                m_at += size;
            else if (character == '\n')
                endLine();
            else if (character == '#' && !m_isQuoted)
                skipComment();
            else if (operators.find(character) != std::string_view::npos)
                readOperator();
            else
                readWord();
        }
    }

private:
    struct HereDelimiter
    {
        std::string word;
        bool isQuoted = false;
        bool stripsTabs = false;
    };

    void beginCommand()
    {
        m_command = m_result.commands++;
        m_mayAssign = true;
        m_isProse = m_isOptions = m_hasWords = false;
    }

    void skipComment()
    {
        const std::size_t begin = m_at;
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
        m_result.comments.emplace_back(begin, m_at);
    }

    void endLine()
    {
        ++m_at;
        // A line that begins with an option is not a command: its arguments continue on the next line.
        if (!m_isQuoted && !m_isArray && !m_isOptions)
            beginCommand();
        for (const HereDelimiter& delimiter : std::exchange(m_hereDocuments, {}))
            readHereDocument(delimiter);
    }

    void readOperator()
    {
        const char character = m_text[m_at];
        if (m_text.substr(m_at).starts_with("<<") && !m_text.substr(m_at).starts_with("<<<")) {
            readHereDelimiter();
            return;
        }
        ++m_at;
        // The file of a redirection counts as one more word of the command.
        if (character == '<' || character == '>') {
            m_at = std::min(m_text.find_first_not_of("<>&", m_at), m_text.size());
            return;
        }
        if (character == ')')
            m_isArray = false;
        beginCommand();
    }

    void readHereDelimiter()
    {
        HereDelimiter delimiter{.stripsTabs = m_text.substr(m_at + 2).starts_with('-')};
        m_at = std::min(m_text.find_first_not_of(" \t", m_at + 2 + (delimiter.stripsTabs ? 1 : 0)),
                        m_text.size());
        while (m_at < m_text.size() && !isBlank(m_text[m_at]) && m_text[m_at] != '\n' &&
               operators.find(m_text[m_at]) == std::string_view::npos) {
            const char character = m_text[m_at++];
            if (character == '\'' || character == '"' || character == '\\')
                delimiter.isQuoted = true;
            else
                delimiter.word += character;
        }
        m_hereDocuments.push_back(std::move(delimiter));
    }

    /// Reads the text of a here-document as a script of its own: scripts write the one that they run in this
    /// way.
    void readHereDocument(const HereDelimiter& delimiter)
    {
        const std::size_t begin = m_at;
        std::size_t end = m_text.size();
        while (m_at < m_text.size()) {
            const std::size_t line = m_at;
            m_at = std::min(m_text.find('\n', line), m_text.size());
            std::string_view content = m_text.substr(line, m_at - line);
            m_at = std::min(m_at + 1, m_text.size());
            content.remove_prefix(std::min(content.find_first_not_of('\t'), content.size()));
            if (content.ends_with('\r'))
                content.remove_suffix(1);
            if (content == delimiter.word) {
                end = line;
                break;
            }
        }
        m_result.hereDocuments.push_back({.begin = begin,
                                          .end = end,
                                          .isExpanded = !delimiter.isQuoted,
                                          .stripsTabs = delimiter.stripsTabs});
        if (m_depth < deepest)
            Lexer(m_text, begin, end, false, m_depth + 1, m_result).run();
    }

    void readWord()
    {
        const std::size_t size = m_mayAssign && !m_isArray ? assignmentSize(m_text.substr(m_at)) : 0;
        if (size > 0) {
            readAssignment(size);
            return;
        }
        ShellWord word = nextWord();
        const std::string_view text = m_text.substr(word.begin, word.end - word.begin);
        m_isProse = m_isProse || (!m_hasWords && printsOrTests(text));
        m_isOptions = m_isOptions || (!m_hasWords && text.starts_with("--"));
        m_hasWords = true;
        m_mayAssign = m_mayAssign && (letsAssign(text) || text.starts_with('-'));
        word.isProse = m_isProse;
        m_result.words.push_back(std::move(word));
        readQuotedArguments();
    }

    void readAssignment(std::size_t size)
    {
        const bool appends = m_text[m_at + size - 2] == '+';
        ShellAssignment assignment{.name = std::string(m_text.substr(m_at, size - (appends ? 2 : 1))),
                                   .appends = appends,
                                   .begin = m_at,
                                   .firstCommand = m_result.commands};
        m_at += size;
        assignment.isArray = m_at < m_text.size() && m_text[m_at] == '(';
        if (assignment.isArray) {
            ++m_at;
            beginCommand();
            m_isArray = true;
        } else {
            assignment.value = nextWord();
        }
        readQuotedArguments();
        assignment.endCommand = m_result.commands;
        m_result.assignments.push_back(std::move(assignment));
    }

    ShellWord nextWord()
    {
        PieceReader reader(m_text, m_at);
        ShellWord word{.begin = m_at, .command = m_command};
        while (!reader.atEnd()) {
            const char character = reader.next();
            if (isBlank(character) || character == '\n' ||
                operators.find(character) != std::string_view::npos)
                break;
            reader.read();
        }
        m_at = word.end = reader.position();
        word.pieces = reader.takePieces();
        m_quotes = reader.takeQuotes();
        return word;
    }

    void readQuotedArguments()
    {
        for (const auto& [begin, end] : std::exchange(m_quotes, {})) {
            if (m_depth < deepest && !m_isProse && holdsArguments(m_text.substr(begin, end - begin)))
                Lexer(m_text, begin, end, true, m_depth + 1, m_result).run();
        }
    }

    std::string_view m_text;
    std::size_t m_at;
    bool m_isQuoted;
    int m_depth;
    ShellWords& m_result;
    std::size_t m_command = 0;
    bool m_mayAssign = true;
    bool m_isArray = false;
    bool m_isProse = false;
    bool m_isOptions = false;
    bool m_hasWords = false;
    std::vector<HereDelimiter> m_hereDocuments;
    std::vector<std::pair<std::size_t, std::size_t>> m_quotes;
};

} // namespace

std::size_t shellNameSize(std::string_view text)
{
    if (text.empty() || (text.front() >= '0' && text.front() <= '9'))
        return 0;
    const auto end = std::ranges::find_if_not(text, isNameCharacter);
    return static_cast<std::size_t>(end - text.begin());
}

ShellWords shellWords(std::string_view text)
{
    ShellWords result;
    Lexer(text, 0, text.size(), false, 0, result).run();
    return result;
}

std::vector<ShellPiece> hereDocumentPieces(std::string_view text, const ShellHereDocument& document)
{
    PieceReader reader(text.substr(0, document.end), document.begin);
    while (!reader.atEnd())
        reader.readInHereDocument();
    return reader.takePieces();
}

std::vector<ShellPiece> shellPieces(std::string_view text, std::size_t begin, std::size_t end)
{
    PieceReader reader(text.substr(0, end), begin);
    while (!reader.atEnd())
        reader.read();
    return reader.takePieces();
}

} // namespace batchpeak::config
