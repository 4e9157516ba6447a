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

/// \p text with the next of \p values in the place of each {}.
std::string filledIn(std::string_view text, std::span<const std::string> values);

inline std::string inSentence(std::string_view text)
{
    return std::string(text);
}
std::string inSentence(std::integral auto number)
{
    return std::to_string(number);
}

/// A sentence, or a part of one, with texts and whole numbers in the places of its {}.
template<typename... Values>
std::string sentence(std::string_view text, const Values&... values)
{
    return filledIn(text, std::array<std::string, sizeof...(Values)>{inSentence(values)...});
}

/// \param text  as sentence() takes it
template<typename... Values>
ConfigError errorAt(TextPosition position, std::string_view text, const Values&... values)
{
    return ConfigError(sentence(text, values...), position);
}

/// What words of a config stand for.
template<typename Value, std::size_t size>
using WordMap = std::array<std::pair<std::string_view, Value>, size>;

/// Nothing for a word that is not in the table.
template<typename Value, std::size_t size>
std::optional<Value> meaningOf(const WordMap<Value, size>& table, std::string_view word)
{
    for (const auto& [known, value] : table) {
        if (known == word)
            return value;
    }
    return std::nullopt;
}

/// Lists of words as tables have them: one text with blanks between, "learned rotary alibi".

bool isAmong(std::string_view word, std::string_view words);

std::vector<std::string_view> splitWords(std::string_view words);

/// For a sentence: "learned, rotary, alibi".
std::string listed(std::span<const std::string_view> words);

/// A text of a config as far as it fits into a sentence, cut between characters.
std::string shortened(const std::string& text);

/// The number that all of a text is, as Python's float() reads digits: infinite where it is too large for a
/// double, and 0 where it is too small. Words are none, "inf" and "nan" among them.
std::optional<double> numberIn(std::string_view text);

/// ASCII letters in lower case, whatever the locale; all else as it is.
std::string lowerCase(std::string text);

} // namespace batchpeak::config
