// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// A value of a config to be written in any style, with what it is to become.
struct ConfigTree
{
    enum class Kind { Scalar, Sequence, Mapping };

    struct Entry;

    Kind kind = Kind::Scalar;
    /// A scalar as it may stand in any place, quoted where need be. Empty: nothing is written.
    std::string text;
    /// What takes its place; nothing where it stays.
    std::optional<std::string> changed;
    /// It may be written on several lines, given an anchor, or be an alias in truth.
    bool isFiller = false;
    std::vector<Entry> entries;
    std::vector<ConfigTree> items;
};

struct ConfigTree::Entry
{
    std::string key;
    ConfigTree value;
    /// It is not there before: it is added below the entry before it.
    bool isAdded = false;
};

inline ConfigTree scalar(std::string text)
{
    return {.text = std::move(text)};
}
inline ConfigTree scalar(long long number)
{
    return scalar(std::to_string(number));
}
inline ConfigTree changing(std::string text, std::string changed)
{
    return {.text = std::move(text), .changed = std::move(changed)};
}
inline ConfigTree mapping(std::vector<ConfigTree::Entry> entries)
{
    return {.kind = ConfigTree::Kind::Mapping, .entries = std::move(entries)};
}
inline ConfigTree sequence(std::vector<ConfigTree> items)
{
    return {.kind = ConfigTree::Kind::Sequence, .items = std::move(items)};
}

} // namespace batchpeak::config
