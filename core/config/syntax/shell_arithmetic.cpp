// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_arithmetic.h"

#include "shell_piece_reader.h"

#include <algorithm>
#include <charconv>

namespace batchpeak::config {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 31;
constexpr int deepest = 32;

using Value = std::optional<std::int64_t>;

/// Within bounds whose products have room.
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
        if (depth >= deepest)
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
    // With a leading 0 the shell reads an octal number, and argparse a decimal one.
    if (text.size() > 1 && text.starts_with('0'))
        return std::nullopt;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, value);
    return !text.empty() && parsed == end && error == std::errc() ? bounded(value) : std::nullopt;
}

} // namespace batchpeak::config
