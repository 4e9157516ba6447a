// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// One change of a YAML text in place: the bytes that change, and their nodes.
///
/// Everything else is kept, including comments, quoting, indents and line ends. The functions below create a
/// change, and applied() returns the changed text; it rejects a text with any other meaning than requested.
struct YamlEdit
{
    /// Pieces in the order of the text.
    std::vector<TextPiece> pieces;
    /// Indices [nodesBegin, nodesEnd) in YamlDocument::nodes() of the nodes that are removed; empty for an
    /// insertion.
    std::size_t nodesBegin = 0;
    std::size_t nodesEnd = 0;
};

/// Replaces any value of a mapping with \p text: a scalar, an empty value, an alias, or a mapping of several
/// lines. Its anchor is kept; its tag, which would change how PyYAML reads the new value, is removed.
YamlEdit replaceValue(const YamlDocument& document, const YamlNode& value, const std::string& text);

/// Inserts \p key with \p text into a mapping, on a line of its own with the mapping's indent, or between its
/// braces; the key is quoted like the mapping's first one.
/// \param after  value after which the entry is inserted if possible; otherwise, or if null, the entry
///        becomes the mapping's first
YamlEdit insertEntry(const YamlDocument& document, const YamlNode& mapping, const std::string& key,
                     const std::string& text, const YamlNode* after = nullptr);

/// Inserts an item at the beginning of a sequence, on a line of its own or between its brackets.
YamlEdit insertItem(const YamlDocument& document, const YamlNode& sequence, const std::string& text);

/// Returns the changed text, parsed.
/// \throws ConfigError if it cannot be read again, or if anything except the edited nodes would read
/// differently
std::shared_ptr<const YamlDocument> applied(const YamlDocument& document, const YamlEdit& edit);

/// Returns a sentence for every place of the text that changes with \p changed, because it is an alias of it
/// or of a node that contains it.
/// \param key  key of the entry that changes; mappings that merge it in and then set it themselves do not
/// change
std::vector<std::string> aliasNotes(const YamlDocument& document, const YamlNode& changed,
                                    std::string_view key);

/// A place that changes with another one, and its key; null if it has none.
struct ChangedPlace
{
    const YamlNode* node = nullptr;
    const YamlNode* key = nullptr;
};

/// Returns a sentence for each place, up to a readable number; the others are only counted.
/// \param why  reason: "it is an alias of the same values"
std::vector<std::string> changeNotes(const YamlDocument& document, const std::vector<ChangedPlace>& places,
                                     std::string_view why);

/// Checks a text that is about to be written with a second parser: yaml-cpp, which has no code in common with
/// libyaml. Its reading is compared with that of YamlDocument value by value, as text and with tags.
///
/// Differences that already exist in \p before are not caused by the change, and are ignored. There is no
/// check if yaml-cpp cannot read \p before at all, or reads another number of values in it.
///
/// \throws ConfigError with both readings if they differ in \p after, but not in \p before
void requireSecondReading(const YamlDocument& before, const YamlDocument& after);

} // namespace batchpeak::config
