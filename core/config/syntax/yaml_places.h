// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::config {

/// Where values and lines of a YAML text begin and end, as a change in place needs it. All places are bytes.

/// First byte of a node's content, behind its anchor and tag, which may stand on lines of their own.
std::size_t afterProperties(std::string_view text, std::size_t begin);

/// The byte after a node's content, which is in one line if it is a scalar.
/// \throws ConfigError where the node is a scalar of several lines, which no setting is
std::size_t endOf(const YamlDocument& document, const YamlNode& node);

/// The byte after the colon of a mapping's value, and after the value's anchor and tag where those stand
/// on the same line: where the value goes if nothing is written yet.
/// \throws ConfigError if \p value is not a value of a mapping, or there is no colon
std::size_t placeOfValue(const YamlDocument& document, const YamlNode& value);

/// The key of a mapping's value; nothing for any other node.
const YamlNode* keyOf(const YamlNode& value);

/// First byte of the line that holds this byte, behind a byte order mark.
std::size_t lineBegin(std::string_view text, std::size_t byte);
/// The line break that ends this byte's line, or the end of the text.
std::size_t lineEnd(std::string_view text, std::size_t byte);
/// First byte of the next line, or the end of the text.
std::size_t nextLine(std::string_view text, std::size_t byte);
/// The line break of this byte's line; where it has none, that of the first line that has one.
std::string_view lineBreakFor(std::string_view text, std::size_t byte);

/// Bytes of a text that something else takes the place of.
struct TextPiece
{
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

/// Where a new entry goes in a mapping or sequence, in the style of what stands around it: a line of its own
/// where the others have one, with their indent and line ends, else between them.

/// Puts \p entry first into a mapping or sequence, block or flow.
TextPiece firstIn(const YamlDocument& document, const YamlNode& holder, const std::string& entry);

struct Insertion
{
    TextPiece piece;
    /// Of the node before which the new ones come, in YamlDocument::nodes().
    std::size_t index = 0;
};

/// Puts \p entry behind a value of a mapping; nothing where the value is not alone with its key on one line.
std::optional<Insertion> besideValue(const YamlDocument& document, const YamlNode& value,
                                     const std::string& entry);

} // namespace batchpeak::config
