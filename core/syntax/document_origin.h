// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

class YamlDocument;

/// Bytes of a text, and the text that replaces them.
struct TextPiece
{
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

/// Bytes [begin, end) of a document, and the bytes [textBegin, textEnd) of the text that they come from.
struct OriginSegment
{
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t textBegin = 0;
    std::size_t textEnd = 0;
    /// Whether both have the same bytes. If not, the segment is one value that the text writes differently.
    bool isCopy = true;
    /// Byte of the text at which a value that is no copy is written, such as in the assignment of a variable.
    std::size_t valueBegin = 0;
};

/// A change of a text, and notes for the user.
struct OriginChange
{
    TextPiece piece;
    std::vector<std::string> notes = {};
};

/// The text that a document was made from, if the document is not the text of a file: a config inside of a
/// script, the options of a command, or TOML. It translates positions and changes of the document; it does
/// not decide what is changed.
struct DocumentOrigin
{
    std::string text;
    /// The position of all of the document, if it is another file: where the config names it.
    TextPosition named = {};
    /// Segments in the order of the document. Bytes between them are generated, and come from none.
    std::vector<OriginSegment> segments;
    /// Returns the change that replaces a segment that is no copy; if it is empty, the segment's bytes are
    /// replaced.
    std::function<OriginChange(const OriginSegment& segment, const std::string& value)> replace = {};
    /// Returns the change that inserts an entry next to a segment, if the text has another syntax than YAML.
    /// \param path   keys from the root to the entry, separated by dots
    /// \param beside the value that the new entry is written below
    std::function<OriginChange(const OriginSegment& beside, std::string_view path, const std::string& value)>
        insert = {};

    /// Makes the document of a changed text in the same way.
    std::function<std::shared_ptr<const YamlDocument>(const std::string& text)> reread = {};

    TextPosition positionOf(std::size_t byte) const;
    /// Returns the last segment that begins at or before a byte of the document.
    /// \throws ConfigError if there is none
    const OriginSegment& segmentAt(std::size_t byte) const;
    /// Translates a change of the document.
    /// \throws ConfigError if the bytes do not come from the text
    OriginChange changeOf(const TextPiece& piece) const;
};

/// Returns the text with pieces that do not overlap, in any order.
std::string withPieces(std::string_view text, std::vector<TextPiece> pieces);

} // namespace batchpeak::config
