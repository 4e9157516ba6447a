// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_error.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// A text of this many bytes or more is not a config, and is rejected before it is parsed: the longest known
/// public config has 12 thousand.
inline constexpr std::size_t maxConfigBytes = std::size_t{4} << 20;

struct TextProblem
{
    /// Advice for the user, as a full sentence.
    std::string sentence;
    std::size_t byte = 0;
};

/// Checks before parsing whether bytes can be the text of a config, and returns the problem: too many bytes,
/// none at all, not UTF-8 (RFC 3629), or control characters that YAML forbids (YAML 1.2.2, section 5.1).
std::optional<TextProblem> problemWithText(std::string_view text);

/// Returns 3 if the text begins with the byte order mark of UTF-8, otherwise 0.
std::size_t byteOrderMarkSize(std::string_view text);

/// Returns the first byte of every line; there is at least one. Lines end as in editors with \n, \r\n or \r.
std::vector<std::size_t> lineBegins(std::string_view text);

/// Whether a byte belongs to a UTF-8 character, but is not its first one.
bool isContinuationByte(char byte);

/// Returns the line of a byte, and its column in characters.
TextPosition positionIn(std::string_view text, std::size_t byte);
/// \param lines  lineBegins() of the text
TextPosition positionIn(std::string_view text, std::span<const std::size_t> lines, std::size_t byte);

/// Returns the first byte of the line that contains this byte, after a byte order mark.
std::size_t lineBegin(std::string_view text, std::size_t byte);
/// Returns the byte of the line break that ends this byte's line, or the end of the text.
std::size_t lineEnd(std::string_view text, std::size_t byte);
/// Returns the first byte of the next line, or the end of the text.
std::size_t nextLine(std::string_view text, std::size_t byte);

} // namespace batchpeak::config
