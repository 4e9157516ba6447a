// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <string>
#include <string_view>

namespace batchpeak::config {

/// JSON, of which YAML is a superset but for comments and a few escapes.

/// Its first character behind blanks and comments is a brace.
bool looksLikeJson(std::string_view text);

/// The text as a YAML parser takes it, as long as it was: blanks in the place of comments (// and /* */), and
/// question marks in the place of escaped surrogate pairs, of which no key or number is made.
std::string asYamlReadsIt(std::string_view text);

enum class JsonComments { Refused, Allowed };

/// What the programs say that read JSON alone: YAML's readers let more pass, as a comma before a brace.
/// \throws ConfigError with the place of the first fault
void requireJson(std::string_view text, JsonComments comments);

} // namespace batchpeak::config
