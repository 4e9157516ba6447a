// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// JSON. YAML is a superset of it except for comments and a few escapes.

/// Whether the first character after blanks and comments is a brace.
bool looksLikeJson(std::string_view text);

/// Returns the text for a YAML parser, with the same length: comments (// and /* */) are replaced by blanks,
/// and escaped surrogate pairs, which no key or number contains, by question marks.
std::string asYamlReadsIt(std::string_view text);

enum class JsonComments { Refused, Allowed };

/// Checks the text like programs that only read JSON: YAML parsers accept more, such as a comma before a
/// brace.
/// \throws ConfigError with the position of the first error
void requireJson(std::string_view text, JsonComments comments);

/// Returns a text in the quotation marks of JSON, which YAML reads alike. Bytes that are not UTF-8 are
/// replaced.
std::string quotedJson(const std::string& text);

} // namespace batchpeak::config
