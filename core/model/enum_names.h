// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace batchpeak::model {

/// The words that stand for the values of an enumeration in files and on the command line. An enumeration
/// whose words are used in more than one file declares them next to itself, which gives it toText() and
/// fromText():
///
///     constexpr EnumNames<Phase, 2> wordsOf(Phase);
template<typename Value, std::size_t size>
using EnumNames = std::array<std::pair<Value, std::string_view>, size>;

template<typename Value, std::size_t size>
constexpr std::string_view wordFor(const EnumNames<Value, size>& table, Value value)
{
    for (const auto& [candidate, word] : table) {
        if (candidate == value)
            return word;
    }
    return {};
}

/// Returns nothing for a word that is not in the table.
template<typename Value, std::size_t size>
constexpr std::optional<Value> valueFor(const EnumNames<Value, size>& table, std::string_view word)
{
    for (const auto& [value, candidate] : table) {
        if (candidate == word)
            return value;
    }
    return std::nullopt;
}

template<typename Value>
concept HasWords = requires
{
    wordsOf(Value());
};

template<HasWords Value>
constexpr std::string_view toText(Value value)
{
    return wordFor(wordsOf(value), value);
}

template<HasWords Value>
constexpr std::optional<Value> fromText(std::string_view text)
{
    return valueFor(wordsOf(Value()), text);
}

} // namespace batchpeak::model
