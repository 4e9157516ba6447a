// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <cstddef>
#include <optional>
#include <string>

namespace batchpeak::config {

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
