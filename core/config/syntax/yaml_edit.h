// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"
#include "yaml_places.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// One change of a YAML text in place: the bytes that change, and the nodes that they stand for.
///
/// Everything else stays, comments, quoting, indents and line ends included. A change is made by one of
/// the functions below and becomes text by applied(), which refuses to return a text that means anything
/// else than was asked for.
struct YamlEdit
{
    /// In the order of the text.
    std::vector<TextPiece> pieces;
    /// The nodes that go away: [nodesBegin, nodesEnd) of YamlDocument::nodes(); none for an insertion.
    std::size_t nodesBegin = 0;
    std::size_t nodesEnd = 0;
};

/// Puts \p text in the place of a value of a mapping, whatever it was: a scalar, nothing at all, an
/// alias, or a mapping of several lines. Its anchor stays.
YamlEdit replaceValue(const YamlDocument& document, const YamlNode& value, const std::string& text);

/// Puts \p key with \p text into a mapping, in one line of its own in the mapping's indent, or between
/// its braces; quoted like the mapping's first key.
/// \param after  value behind which it goes where that is possible; without it, or where it is not, the entry
/// becomes
///               the mapping's first
YamlEdit insertEntry(const YamlDocument& document, const YamlNode& mapping, const std::string& key,
                     const std::string& text, const YamlNode* after = nullptr);

/// Puts an item at the beginning of a sequence, in one line or between its brackets.
YamlEdit insertItem(const YamlDocument& document, const YamlNode& sequence, const std::string& text);

/// The changed text, parsed.
/// \throws ConfigError if it cannot be read again, or anything but the edited nodes would read otherwise
std::shared_ptr<const YamlDocument> applied(const YamlDocument& document, const YamlEdit& edit);

/// Every place of the text that changes when \p changed does, because it is an alias of it or of what it
/// is part of; each a sentence.
/// \param key  of the entry that changes; mappings that merge it in and then set it themselves stay
std::vector<std::string> aliasNotes(const YamlDocument& document, const YamlNode& changed,
                                    std::string_view key);

} // namespace batchpeak::config
