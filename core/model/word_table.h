// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace batchpeak::model {

/// The words that stand for the values of an enumeration in files and on the command line.
template<typename Value, std::size_t size>
using WordTable = std::array<std::pair<Value, std::string_view>, size>;

template<typename Value, std::size_t size>
std::string_view wordFor(const WordTable<Value, size>& table, Value value)
{
    for (const auto& [candidate, word] : table) {
        if (candidate == value)
            return word;
    }
    return {};
}

/// Nothing for a word that is not in the table.
template<typename Value, std::size_t size>
std::optional<Value> valueFor(const WordTable<Value, size>& table, std::string_view word)
{
    for (const auto& [value, candidate] : table) {
        if (candidate == word)
            return value;
    }
    return std::nullopt;
}

} // namespace batchpeak::model
