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

/// Bytes of a text that something else takes the place of.
struct TextPiece
{
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

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
/// alias, or a mapping of several lines. Its anchor stays; its tag, by which PyYAML would read the new one
/// otherwise, goes.
YamlEdit replaceValue(const YamlDocument& document, const YamlNode& value, const std::string& text);

/// Puts \p key with \p text into a mapping, in one line of its own in the mapping's indent, or between
/// its braces; quoted like the mapping's first key.
/// \param after  value behind which it goes where that is possible; without it, or where it is not, the entry
/// becomes the mapping's first
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

/// A place that changes with another one, and the key that it is known by; null where it has none.
struct ChangedPlace
{
    const YamlNode* node = nullptr;
    const YamlNode* key = nullptr;
};

/// A sentence for each place, as far as they are read by anybody; the rest is counted.
/// \param why  "it is an alias of the same values"
std::vector<std::string> changeNotes(const YamlDocument& document, const std::vector<ChangedPlace>& places,
                                     std::string_view why);

/// The second opinion on a text that is about to be written: yaml-cpp, which has nothing in common with
/// libyaml, reads it too. What it finds is compared value by value, as text and with tags, with what
/// YamlDocument has found.
///
/// Values at which the two readers differ in \p before already are not the change's doing, nor is it where
/// yaml-cpp cannot read \p before at all.
///
/// \throws ConfigError with both readings where they differ in \p after and did not before
void requireSecondReading(const YamlDocument& before, const YamlDocument& after);

} // namespace batchpeak::config
