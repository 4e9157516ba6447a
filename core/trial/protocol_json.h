// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace batchpeak::trial {

using Json = nlohmann::json;

/// Why a line is no message, as a full sentence. It never leaves this room: the parse functions of
/// protocol.h return it as a value.
class MessageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// The object that a line holds. Size and nesting are limited before anything is built from it.
/// \throws MessageError
Json parseObject(std::string_view line);

/// One line with its line end. Bytes that are not UTF-8 become replacement characters, since a library
/// may put anything into the text of an error.
std::string toJsonLine(const Json& object);

/// The start of a text, so that no text of a library makes a line too long to be read.
std::string clipped(const std::string& text);

/// The start of \p text in quotes and plain ASCII, fit for a sentence.
std::string inQuotes(std::string_view text);

} // namespace batchpeak::trial
