// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "npy_header.h"

#include <charconv>
#include <optional>
#include <stdexcept>

namespace batchpeak::data {

namespace {

/// Reads the few forms of Python's literals that a header is made of.
class LiteralReader
{
public:
    explicit LiteralReader(std::string_view text) : m_rest(text) {}

    bool take(char expected)
    {
        skipSpaces();
        if (m_rest.empty() || m_rest.front() != expected)
            return false;
        m_rest.remove_prefix(1);
        return true;
    }

    void expect(char expected)
    {
        if (!take(expected))
            fail();
    }

    std::string string()
    {
        skipSpaces();
        const char quote = m_rest.empty() ? '\0' : m_rest.front();
        const std::size_t end = m_rest.find(quote, 1);
        if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
            fail();
        std::string value(m_rest.substr(1, end - 1));
        m_rest.remove_prefix(end + 1);
        return value;
    }

    bool boolean()
    {
        skipSpaces();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (m_rest.starts_with(word)) {
                m_rest.remove_prefix(word.size());
                return value;
            }
        }
        fail();
    }

    /// A tuple of numbers that are not negative: "()", "(3,)", "(3, 4)".
    std::vector<std::int64_t> numbers()
    {
        std::vector<std::int64_t> values;
        expect('(');
        while (!take(')')) {
            values.push_back(number());
            const bool goesOn = take(',');
            // Without a comma, brackets around one number make no tuple.
            if (!goesOn && values.size() == 1)
                fail();
            if (!goesOn) {
                expect(')');
                break;
            }
        }
        return values;
    }

    bool isAtEnd()
    {
        skipSpaces();
        return m_rest.empty();
    }

    [[noreturn]] static void fail() { throw std::invalid_argument("has a header that is not NumPy's"); }

private:
    void skipSpaces()
    {
        const std::size_t first = m_rest.find_first_not_of(" \n");
        m_rest.remove_prefix(first == std::string_view::npos ? m_rest.size() : first);
    }

    std::int64_t number()
    {
        skipSpaces();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
        if (error != std::errc() || value < 0)
            fail();
        m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
        return value;
    }

    std::string_view m_rest;
};

template<typename Value>
void setOnce(std::optional<Value>& value, Value read)
{
    if (value)
        LiteralReader::fail();
    value = std::move(read);
}

} // namespace

NpyHeader parseNpyHeader(std::string_view text)
{
    std::optional<std::string> type;
    std::optional<bool> fortranOrder;
    std::optional<std::vector<std::int64_t>> shape;
    LiteralReader reader(text);
    reader.expect('{');
    while (!reader.take('}')) {
        const std::string key = reader.string();
        reader.expect(':');
        if (key == "descr" && reader.take('['))
            throw std::invalid_argument("holds records of several fields");
        if (key == "descr")
            setOnce(type, reader.string());
        else if (key == "fortran_order")
            setOnce(fortranOrder, reader.boolean());
        else if (key == "shape")
            setOnce(shape, reader.numbers());
        else
            LiteralReader::fail();
        if (!reader.take(',')) {
            reader.expect('}');
            break;
        }
    }
    if (!type || !fortranOrder || !shape || !reader.isAtEnd())
        LiteralReader::fail();
    return {.type = *type, .fortranOrder = *fortranOrder, .shape = *shape};
}

} // namespace batchpeak::data
