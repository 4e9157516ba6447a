// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

namespace batchpeak::config {

/// Where in a text something stands; counted from 1, 0 where there is no place to name.
struct TextPosition
{
    int line = 0;
    int column = 0;
    bool operator==(const TextPosition&) const = default;
};

/// A config that cannot be used, as a full sentence that tells the user what to do. The file's name is
/// not in it: whoever read the file puts "name:line:column: " before it.
class ConfigError : public std::runtime_error
{
public:
    explicit ConfigError(const std::string& sentence, TextPosition position = {})
        : std::runtime_error(inOneLine(sentence)), m_position(position)
    {}
    TextPosition position() const { return m_position; }

private:
    /// Values of a config are quoted in sentences; a zero byte in one would end what().
    static std::string inOneLine(std::string sentence)
    {
        std::ranges::replace_if(
            sentence, [](char character) { return static_cast<unsigned char>(character) < 0x20; }, ' ');
        return sentence;
    }

    TextPosition m_position;
};

} // namespace batchpeak::config
