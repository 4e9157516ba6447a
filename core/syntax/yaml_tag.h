// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// What PyYAML's SafeLoader makes of a value for its tag, whatever its text looks like: "!!str 8" is a text,
/// "!!int '8'" a number, and "!!null 8" nothing (SafeConstructor in yaml/constructor.py of PyYAML 6).
enum class TagKind {
    /// No tag is written.
    None,
    Null,
    Boolean,
    Integer,
    Float,
    Text,
    List,
    Mapping,
    /// A set, bytes, a date, an object of Python, or what no SafeLoader knows.
    Other
};

TagKind tagKind(const YamlNode& node);

/// Whether the SafeLoader makes a value of the node's tag and text that a config can have here: null, a
/// boolean, a number, a text, a list or a mapping. It fails at "!!int explore".
bool hasReadableTag(const YamlNode& node);

/// Whether a key can be looked for: a tag may make something else of it than a text.
bool isNamed(const YamlNode& key);

/// Whether a key, or what it is an alias of, is the one that is looked for.
bool isKey(const YamlNode& node, std::string_view key);

/// The tag as people write it: "!!str", "!mine".
std::string tagText(const YamlNode& node);

} // namespace batchpeak::config
