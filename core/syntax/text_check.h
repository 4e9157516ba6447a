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

/// A text of this many bytes or more is no config, and is refused before it is parsed: the longest public
/// config that we know of has 12 thousand.
inline constexpr std::size_t maxConfigBytes = std::size_t{4} << 20;

struct TextProblem
{
    /// What to do, as a full sentence.
    std::string sentence;
    std::size_t byte = 0;
};

/// Why bytes cannot be the text of a config before anybody tries to parse them: too many, none at all,
/// not UTF-8 (RFC 3629), or with control characters that YAML forbids (YAML 1.2.2, section 5.1).
std::optional<TextProblem> problemWithText(std::string_view text);

/// 3 where the text begins with the byte order mark of UTF-8, else 0.
std::size_t byteOrderMarkSize(std::string_view text);

/// First byte of every line, of which there is one at least. Lines end as editors have it: \n, \r\n or \r.
std::vector<std::size_t> lineBegins(std::string_view text);

/// A byte of a UTF-8 character that is not its first.
bool isContinuationByte(char byte);

/// Line, and column in characters, of a byte.
TextPosition positionIn(std::string_view text, std::size_t byte);
/// \param lines  lineBegins() of the text
TextPosition positionIn(std::string_view text, std::span<const std::size_t> lines, std::size_t byte);

/// First byte of the line that holds this byte, behind a byte order mark.
std::size_t lineBegin(std::string_view text, std::size_t byte);
/// The line break that ends this byte's line, or the end of the text.
std::size_t lineEnd(std::string_view text, std::size_t byte);
/// First byte of the next line, or the end of the text.
std::size_t nextLine(std::string_view text, std::size_t byte);

} // namespace batchpeak::config
