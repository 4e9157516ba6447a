// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_words.h"

#include "shell_piece_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::config {

namespace {

// A script, a list of arguments quoted in it or a here-document, and one quoted in that.
constexpr int deepest = 2;

constexpr std::string_view operators = ";&|()<>";

template<std::size_t Size>
bool isOneOf(std::string_view word, const std::array<std::string_view, Size>& words)
{
    return std::ranges::find(words, word) != words.end();
}

/// Behind these, an assignment can stand as at the beginning of a command.
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

/// Bytes of "NAME=" or "NAME+=" here; 0 where there is no assignment.
std::size_t assignmentSize(std::string_view text)
{
    const std::size_t name = shellNameSize(text);
    const std::size_t sign = name + (name < text.size() && text[name] == '+' ? 1 : 0);
    return name > 0 && sign < text.size() && text[sign] == '=' ? sign + 1 : 0;
}

/// Several words, an option among them.
bool holdsArguments(std::string_view quoted)
{
    if (quoted.find_first_of(" \t\n", std::min(quoted.find_first_not_of(" \t\r\n"), quoted.size())) ==
        std::string_view::npos)
        return false;
    for (std::size_t i = quoted.find("--"); i != std::string_view::npos; i = quoted.find("--", i + 1)) {
        const bool begins = i == 0 || isShellBlank(quoted[i - 1]) || quoted[i - 1] == '\n';
        if (begins && shellNameSize(quoted.substr(i + 2)) > 0)
            return true;
    }
    return false;
}

class Lexer
{
public:
    /// \param isQuoted  a list of arguments in quotes: line ends are blanks, and # is no comment
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
            if (isShellBlank(character))
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
        // A line that begins with an option is no command: its arguments go on in the next.
        if (!m_isQuoted && !m_isArray && !m_isOptions)
            beginCommand();
        for (const std::string& delimiter : std::exchange(m_hereDocuments, {}))
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
        // A redirection: its file is one more word of the command.
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
        m_at =
            std::min(m_text.find_first_not_of(" \t", m_at + 2 + (m_text.substr(m_at + 2).starts_with('-'))),
                     m_text.size());
        std::string delimiter;
        while (m_at < m_text.size() && !isShellBlank(m_text[m_at]) && m_text[m_at] != '\n' &&
               operators.find(m_text[m_at]) == std::string_view::npos) {
            const char character = m_text[m_at++];
            if (character != '\'' && character != '"' && character != '\\')
                delimiter += character;
        }
        m_hereDocuments.push_back(std::move(delimiter));
    }

    /// Its text is words of its own: scripts write the one that is run in this way.
    void readHereDocument(const std::string& delimiter)
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
            if (content == delimiter) {
                end = line;
                break;
            }
        }
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
                                   .begin = m_at};
        m_at += size;
        assignment.isArray = m_at < m_text.size() && m_text[m_at] == '(';
        if (assignment.isArray) {
            ++m_at;
            beginCommand();
            m_isArray = true;
        } else {
            assignment.value = nextWord();
        }
        m_result.assignments.push_back(std::move(assignment));
        readQuotedArguments();
    }

    ShellWord nextWord()
    {
        ShellPieceReader reader(m_text, m_at);
        ShellWord word{.begin = m_at, .command = m_command};
        while (!reader.atEnd()) {
            const char character = reader.next();
            if (isShellBlank(character) || character == '\n' ||
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
    std::vector<std::string> m_hereDocuments;
    std::vector<std::pair<std::size_t, std::size_t>> m_quotes;
};

} // namespace

ShellWords shellWords(std::string_view text)
{
    ShellWords result;
    Lexer(text, 0, text.size(), false, 0, result).run();
    return result;
}

std::vector<ShellPiece> shellPieces(std::string_view text, std::size_t begin, std::size_t end)
{
    ShellPieceReader reader(text.substr(0, end), begin);
    while (!reader.atEnd())
        reader.read();
    return reader.takePieces();
}

} // namespace batchpeak::config
