// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_variables.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace batchpeak::config {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 31;
constexpr int deepestExpansion = 32;

using Value = std::optional<std::int64_t>;

/// Returns nothing for a value out of range; products of values in range do not overflow.
Value bounded(std::int64_t value)
{
    return value >= -largest && value <= largest ? Value(value) : std::nullopt;
}

class Expression
{
public:
    Expression(std::string_view text, const std::function<Value(const std::string&)>& valueOf)
        : m_rest(text), m_valueOf(valueOf)
    {}

    Value value()
    {
        const Value result = sum(0);
        skipBlanks();
        return m_rest.empty() ? result : std::nullopt;
    }

private:
    void skipBlanks() { m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t\r\n"), m_rest.size())); }

    bool take(char character)
    {
        skipBlanks();
        if (!m_rest.starts_with(character))
            return false;
        m_rest.remove_prefix(1);
        return true;
    }

    Value sum(int depth)
    {
        Value left = product(depth);
        while (left) {
            const bool adds = take('+');
            if (!adds && !take('-'))
                break;
            const Value right = product(depth);
            left = right ? bounded(adds ? *left + *right : *left - *right) : std::nullopt;
        }
        return left;
    }

    Value product(int depth)
    {
        Value left = factor(depth);
        while (left) {
            skipBlanks();
            const char sign = m_rest.empty() ? '\0' : m_rest.front();
            if (sign != '*' && sign != '/' && sign != '%')
                break;
            m_rest.remove_prefix(1);
            const Value right = factor(depth);
            if (!right || (sign != '*' && *right == 0))
                return std::nullopt;
            left = sign == '*' ? bounded(*left * *right) : (sign == '/' ? *left / *right : *left % *right);
        }
        return left;
    }

    Value factor(int depth)
    {
        if (depth >= deepestExpansion)
            return std::nullopt;
        if (take('(')) {
            const Value inner = sum(depth + 1);
            return take(')') ? inner : std::nullopt;
        }
        const bool isNamed = take('$');
        const bool isBraced = isNamed && m_rest.starts_with('{');
        if (isBraced)
            m_rest.remove_prefix(1);
        const std::size_t size = shellNameSize(m_rest);
        if (size == 0)
            return isNamed ? std::nullopt : number();
        const std::string name(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        if (isBraced && !take('}'))
            return std::nullopt;
        const Value value = m_valueOf(name);
        return value ? bounded(*value) : std::nullopt;
    }

    Value number()
    {
        const std::size_t size = std::min(m_rest.find_first_not_of("0123456789"), m_rest.size());
        const Value value = shellNumber(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        return value;
    }

    std::string_view m_rest;
    const std::function<Value(const std::string&)>& m_valueOf;
};

} // namespace

std::optional<std::int64_t>
shellArithmetic(std::string_view expression,
                const std::function<std::optional<std::int64_t>(const std::string& name)>& valueOf)
{
    return Expression(expression, valueOf).value();
}

std::optional<std::int64_t> shellNumber(std::string_view text)
{
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text = text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
    // The shell reads a number with a leading 0 as octal, argparse as decimal.
    if (text.size() > 1 && text.starts_with('0'))
        return std::nullopt;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, value);
    return !text.empty() && parsed == end && error == std::errc() ? bounded(value) : std::nullopt;
}

namespace {

using Kind = ShellPiece::Kind;

// Longer chains of variables are cycles, or not written by a person.
constexpr int maxExpansionSteps = 256;
constexpr std::size_t maxLength = 4096;

/// Returns the text of a word that only consists of literals, or nothing.
std::optional<std::string> literal(const ShellWord& word)
{
    std::string text;
    for (const ShellPiece& piece : word.pieces) {
        if (piece.kind != Kind::Literal)
            return std::nullopt;
        text += piece.text;
    }
    return text;
}

} // namespace

/// Evaluates the text of words within limits: a script may refer to itself, or double a text with every line.
class ShellVariables::Evaluation
{
public:
    explicit Evaluation(const ShellVariables& variables) : m_variables(variables) {}

    std::optional<std::string> text(const std::vector<ShellPiece>& pieces)
    {
        std::string result;
        for (const ShellPiece& piece : pieces) {
            const auto part = text(piece);
            if (!part || result.size() + part->size() > maxLength)
                return std::nullopt;
            result += *part;
        }
        return result;
    }

    std::optional<std::string> variable(const std::string& name)
    {
        return text(ShellPiece{.kind = Kind::Variable, .text = name});
    }

private:
    std::optional<std::string> text(const ShellPiece& piece)
    {
        if (++m_steps > maxExpansionSteps || piece.kind == Kind::Unknown)
            return std::nullopt;
        if (piece.kind == Kind::Literal)
            return piece.text;
        if (piece.kind == Kind::Variable)
            return variable(piece);
        const auto value = shellArithmetic(piece.text, [this](const std::string& name) {
            const auto text = variable(name);
            return text ? shellNumber(*text) : std::nullopt;
        });
        return value ? std::optional(std::to_string(*value)) : std::nullopt;
    }

    std::optional<std::string> variable(const ShellPiece& piece)
    {
        if (m_variables.m_assignedByCommands.contains(piece.text))
            return std::nullopt;
        const auto found = m_variables.m_assignments.find(piece.text);
        // An assignment that uses its own variable, such as NAME=${NAME:-4}, refers to that of the
        // environment.
        const bool isOpen = std::ranges::find(m_open, piece.text) != m_open.end();
        if (found == m_variables.m_assignments.end() || isOpen)
            return fallback(piece);
        m_open.push_back(piece.text);
        auto result = assigned(found->second);
        m_open.pop_back();
        const auto known = m_variables.m_environment.find(piece.text);
        return result || known == m_variables.m_environment.end() ? result : std::optional(known->second);
    }

    std::optional<std::string> assigned(const std::vector<const ShellAssignment*>& assignments)
    {
        std::optional<std::string> result;
        for (const ShellAssignment* assignment : assignments) {
            if (assignment->isArray || assignment->appends)
                return std::nullopt;
            const auto value = text(assignment->value.pieces);
            if (!value || (result && *result != *value))
                return std::nullopt;
            result = value;
        }
        return result;
    }

    std::optional<std::string> fallback(const ShellPiece& piece)
    {
        const auto known = m_variables.m_environment.find(piece.text);
        if (known != m_variables.m_environment.end())
            return known->second;
        const auto found = m_variables.m_defaults.find(piece.text);
        const bool isKnown = found != m_variables.m_defaults.end();
        if (!piece.hasFallback && !isKnown)
            return std::nullopt;
        const ShellPiece& source = piece.hasFallback ? piece : found->second;
        if (source.fallbackEnd - source.fallbackBegin > maxLength)
            return std::nullopt;
        return text(shellPieces(m_variables.m_text, source.fallbackBegin, source.fallbackEnd));
    }

    const ShellVariables& m_variables;
    int m_steps = 0;
    std::vector<std::string> m_open;
};

ShellVariables::ShellVariables(std::string_view text, const ShellWords& words) : m_text(text)
{
    for (const ShellAssignment& assignment : words.assignments) {
        m_assignments[assignment.name].push_back(&assignment);
        indexDefaults(assignment.value);
    }
    constexpr std::array<std::string_view, 5> assigning{"for", "select", "read", "mapfile", "unset"};
    std::vector<std::string> first(words.commands);
    for (const ShellWord& word : words.words) {
        indexDefaults(word);
        const std::string text = literal(word).value_or("");
        std::string& command = first[word.command];
        if (command.empty())
            command = text.empty() ? "?" : text;
        else if (std::ranges::find(assigning, command) != assigning.end())
            m_assignedByCommands.emplace(text, word.begin);
    }
}

void ShellVariables::indexDefaults(const ShellWord& word)
{
    for (const ShellPiece& piece : word.pieces) {
        if (piece.setsFallback)
            m_defaults.emplace(piece.text, piece);
    }
}

void ShellVariables::setEnvironment(const std::string& name, std::string value)
{
    m_environment[name] = std::move(value);
}

std::optional<std::string> ShellVariables::textOf(const std::vector<ShellPiece>& pieces) const
{
    return Evaluation(*this).text(pieces);
}

std::optional<std::string> ShellVariables::valueOf(const std::string& name) const
{
    return Evaluation(*this).variable(name);
}

bool ShellVariables::isAssigned(const std::string& name) const
{
    return m_assignments.contains(name);
}

std::optional<std::size_t> ShellVariables::commandAssigning(const std::string& name) const
{
    const auto found = m_assignedByCommands.find(name);
    return found == m_assignedByCommands.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::size_t> ShellVariables::assignmentsOf(const std::string& name) const
{
    std::vector<std::size_t> found;
    const auto assignments = m_assignments.find(name);
    if (assignments != m_assignments.end())
        std::ranges::transform(assignments->second, std::back_inserter(found), &ShellAssignment::begin);
    return found;
}

const ShellWord* ShellVariables::onlyValue(const std::string& name) const
{
    const auto found = m_assignments.find(name);
    const bool isOnly = found != m_assignments.end() && found->second.size() == 1 &&
                        !found->second.front()->isArray && !found->second.front()->appends &&
                        !found->second.front()->value.pieces.empty() && !m_assignedByCommands.contains(name);
    return isOnly ? &found->second.front()->value : nullptr;
}

} // namespace batchpeak::config
