// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

namespace batchpeak::config {

/// Position in a text, counted from 1; 0 if there is no position.
struct TextPosition
{
    int line = 0;
    int column = 0;
    bool operator==(const TextPosition&) const = default;
};

/// Error for a config that cannot be used: a full sentence that tells the user what to do. It does not
/// contain the file's name: the reader of the file prefixes it with "name:line:column: ".
class ConfigError : public std::runtime_error
{
public:
    explicit ConfigError(const std::string& sentence, TextPosition position = {})
        : std::runtime_error(inOneLine(sentence)), m_position(position)
    {}
    TextPosition position() const { return m_position; }

private:
    /// Replaces control characters: sentences quote values of a config, where a zero byte would end what().
    static std::string inOneLine(std::string sentence)
    {
        std::ranges::replace_if(
            sentence, [](char character) { return static_cast<unsigned char>(character) < 0x20; }, ' ');
        return sentence;
    }

    TextPosition m_position;
};

} // namespace batchpeak::config
