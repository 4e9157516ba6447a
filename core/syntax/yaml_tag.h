// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// Type of a value in PyYAML's SafeLoader by its tag, independent of its text: "!!str 8" is a text, "!!int
/// '8'" a number, and "!!null 8" null (SafeConstructor in yaml/constructor.py of PyYAML 6).
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
    /// A set, bytes, a date, a Python object, or a tag that the SafeLoader does not know.
    Other
};

TagKind tagKind(const YamlNode& node);

/// Whether the SafeLoader reads the node's tag and text as a value that a config can have here: null, a
/// boolean, a number, a text, a list or a mapping. False for "!!int explore".
bool hasReadableTag(const YamlNode& node);

/// Whether a key can be looked up by name: a tag may turn it into something other than text.
bool isNamed(const YamlNode& key);

/// Whether a key, or the target of its alias, is \p key.
bool isKey(const YamlNode& node, std::string_view key);

/// Returns the tag as it is written: "!!str", "!mine".
std::string tagText(const YamlNode& node);

} // namespace batchpeak::config
