// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace batchpeak::config {

/// Returns \p text with each {} replaced by the next of \p values.
std::string filledIn(std::string_view text, std::span<const std::string> values);

inline std::string inSentence(std::string_view text)
{
    return std::string(text);
}
std::string inSentence(std::integral auto number)
{
    return std::to_string(number);
}

/// Returns a sentence, or part of one, with each {} replaced by a text or a whole number.
template<typename... Values>
std::string sentence(std::string_view text, const Values&... values)
{
    return filledIn(text, std::array<std::string, sizeof...(Values)>{inSentence(values)...});
}

/// \param text  text for sentence()
template<typename... Values>
ConfigError errorAt(TextPosition position, std::string_view text, const Values&... values)
{
    return ConfigError(sentence(text, values...), position);
}

/// Meanings of words in a config.
template<typename Value, std::size_t size>
using WordMap = std::array<std::pair<std::string_view, Value>, size>;

/// Returns nothing for a word that is not in the table.
template<typename Value, std::size_t size>
std::optional<Value> meaningOf(const WordMap<Value, size>& table, std::string_view word)
{
    for (const auto& [known, value] : table) {
        if (known == word)
            return value;
    }
    return std::nullopt;
}

/// Lists of words in tables: one text, separated by blanks, "learned rotary alibi".

bool isAmong(std::string_view word, std::string_view words);

std::vector<std::string_view> splitWords(std::string_view words);

/// Returns the words for use in a sentence: "learned, rotary, alibi".
std::string listed(std::span<const std::string_view> words);

/// Returns a text of a config, truncated between characters if it is too long for a sentence.
std::string shortened(const std::string& text);

/// Parses a whole text as a number, with digits as in Python's float(): infinite if it is too large for a
/// double, and 0 if it is too small. Words, including "inf" and "nan", are not numbers.
std::optional<double> numberIn(std::string_view text);

/// Converts ASCII letters to lower case, independent of the locale; other characters are unchanged.
std::string lowerCase(std::string text);

} // namespace batchpeak::config
