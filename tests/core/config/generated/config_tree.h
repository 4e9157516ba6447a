// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Value of a config that can be written in any style, and its value after the change.
struct ConfigTree
{
    enum class Kind { Scalar, Sequence, Mapping };

    struct Entry;

    Kind kind = Kind::Scalar;
    /// Scalar in a form that is valid anywhere, quoted if necessary. If it is empty, nothing is written.
    std::string text;
    /// Scalar that replaces the value; no value if it does not change.
    std::optional<std::string> changed;
    /// Whether it may be written on several lines, get an anchor, or be replaced by an alias.
    bool isFiller = false;
    std::vector<Entry> entries;
    std::vector<ConfigTree> items;
};

struct ConfigTree::Entry
{
    std::string key;
    ConfigTree value;
    /// Whether the change adds the entry, below the previous entry.
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
